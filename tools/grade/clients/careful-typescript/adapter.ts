/** Does the tasks of `plantstore grade client` with the careful client of the guide. */
import { appendFileSync, readFileSync } from 'node:fs';
import { type Call, type Result, send } from '../../../../examples/retries/careful.ts';

const { PLANTSTORE_TASKS = '', PLANTSTORE_REPORT = '', PLANTSTORE_TIMEOUT_MS } = process.env;
const timeout = Number(PLANTSTORE_TIMEOUT_MS);
type Task = Call & { readonly task: number; readonly kind: string };
type Stored = { readonly id: string; readonly name: string; readonly tag?: string };

/** Reads all pages. The ids stay exact, as texts. */
async function list(call: Call): Promise<{ belief: Result['belief']; plants: readonly Stored[] }> {
  const plants: Stored[] = [];
  for (let url: string | undefined = call.url; url !== undefined; ) {
    const { belief, response } = await send({ ...call, url }, timeout);
    if (response === undefined || belief !== 'done') return { belief, plants };
    const page = response.body.replaceAll(/"id":\s*(-?\d+)/g, '"id":"$1"');
    plants.push(...(JSON.parse(page) as readonly Stored[]));
    const next: string | undefined = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    url = next && new URL(next, url).href;
  }
  return { belief: 'done', plants };
}

for (const line of readFileSync(PLANTSTORE_TASKS, 'utf8').trim().split('\n')) {
  const { task, kind, ...call } = JSON.parse(line) as Task;
  const { response, ...result } =
    kind === 'list' ? { ...(await list(call)), response: undefined } : await send(call, timeout);
  const report = { task, ...result, status: response?.status, body: response?.body };
  appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify(report)}\n`);
}
