/** The entry point of the service alone. The whole command line, with the laboratory, is in lab/main.ts. */
import { runProcess } from './cli/process.ts';
import { SERVICE } from './program.ts';

await runProcess(SERVICE);
