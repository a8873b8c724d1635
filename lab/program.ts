/** The whole command line: the commands and features of the service and of the laboratory. */
import { type Program, SERVICE } from '../src/program.ts';
import { defects } from './commands/defects.ts';
import { gradeCommands } from './commands/grade.ts';
import { gradeClient } from './commands/grade-client.ts';
import { gradeReceiver } from './commands/grade-receiver.ts';
import { DEFECTS_ENTRY } from './defects/entry.ts';

export const PROGRAM: Program = {
  commands: [...SERVICE.commands, defects, gradeClient, gradeReceiver, ...gradeCommands],
  // A defect wraps the other features.
  features: [...SERVICE.features, DEFECTS_ENTRY],
};
