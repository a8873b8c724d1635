/** Does the tasks of `plantstore grade client` with the careful client of the guide. */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, type Result, send } from '../../../examples/retries/careful.ts';

const { PLANTSTORE_TASKS = '', PLANTSTORE_REPORT = '', PLANTSTORE_TIMEOUT_MS } = process.env;
const timeout = Number(PLANTSTORE_TIMEOUT_MS);
const IDLE_MS = 20;
type Task = Call & { readonly task: number; readonly kind: string };
type Stored = { readonly id: string; readonly name: string; readonly tag?: string };

/** Reads all pages. The ids stay exact, as texts. */
async function list(call: Call): Promise<{ belief: Result['belief']; plants: readonly Stored[] }> {
  const plants: Stored[] = [];
  for (let url: string | undefined = call.url; url !== undefined; ) {
    const { belief, headers, body } = await send({ ...call, url }, timeout);
    if (belief !== 'done') return { belief, plants };
    const page = body.replaceAll(/"id":\s*(-?\d+)/g, '"id":"$1"');
    plants.push(...(JSON.parse(page) as readonly Stored[]));
    const next: string | undefined = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
    url = next && new URL(next, url).href;
  }
  return { belief: 'done', plants };
}

/** The address of the plant that a task writes. */
function plantOf(kind: string, { url, body = '' }: Call): string | undefined {
  if (kind === 'create') return `${url}/${/"id":\s*(-?\d+)/.exec(body)?.[1]}`;
  return kind === 'get' ? undefined : url;
}

async function perform(kind: string, call: Call): Promise<object> {
  if (kind === 'list') return list(call);
  const { belief, status, body } = await send({ ...call, plant: plantOf(kind, call) }, timeout);
  return { belief, ...(status > 0 && { status, body }) };
}

for (const line of readFileSync(PLANTSTORE_TASKS, 'utf8').trim().split('\n')) {
  const { task, kind, ...call } = JSON.parse(line) as Task;
  appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify({ task, ...(await perform(kind, call)) })}\n`);
  // A connection can be used again only when it is idle.
  await sleep(IDLE_MS);
}
