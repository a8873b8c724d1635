/** The entry point of the service alone. The whole command line, with the laboratory, is in lab/main.ts. */
import { COMMANDS } from './cli/commands.ts';
import { runProcess } from './cli/process.ts';
import { FEATURES } from './features/index.ts';

await runProcess({ commands: COMMANDS, features: FEATURES });
