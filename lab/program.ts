/** The whole command line: the commands and features of the service and of the laboratory. */
import { MODEL, type Program } from '../src/program.ts';
import { defects } from './commands/defects.ts';
import { gradeCommands } from './commands/grade.ts';
import { gradeClient } from './commands/grade-client.ts';
import { gradeReceiver } from './commands/grade-receiver.ts';
import { DEFECTS_ENTRY } from './defects/entry.ts';

export const PROGRAM: Program = {
  commands: [...MODEL.commands, defects, gradeClient, gradeReceiver, ...gradeCommands],
  // A defect wraps the other features.
  features: [...MODEL.features, DEFECTS_ENTRY],
};
