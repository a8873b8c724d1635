/** The whole command line: the commands and features of the service, and those of the laboratory. */
import { COMMANDS } from '../src/cli/commands.ts';
import type { Program } from '../src/cli/run.ts';
import { FEATURES } from '../src/features/index.ts';
import { defects } from './commands/defects.ts';
import { gradeCommands } from './commands/grade.ts';
import { gradeClient } from './commands/grade-client.ts';
import { DEFECTS_ENTRY } from './defects/entry.ts';

export const PROGRAM: Program = {
  commands: [...COMMANDS, defects, gradeClient, ...gradeCommands],
  // A defect wraps the other features.
  features: [...FEATURES, DEFECTS_ENTRY],
};
