/** The entry point of the whole command line, which bin/plantstore, the package and the executable run. */
import { runProcess } from '../src/cli/process.ts';
import { PROGRAM } from './program.ts';
import { bypassProxies } from './util/loopback.ts';

bypassProxies(process.env);
await runProcess(PROGRAM);
