import { doTasks } from './adapter.ts';
import { send } from './send.ts';

await doTasks(send);
// Some clients keep connections open, which would keep this process running.
process.exit();
