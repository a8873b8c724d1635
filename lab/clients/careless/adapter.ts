/** A client that makes every mistake: the control of `plantstore grade client`. */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { PLANTSTORE_TASKS = '', PLANTSTORE_REPORT = '', PLANTSTORE_TIMEOUT_MS } = process.env;
/** A connection can be used again only when it is idle. */
const IDLE_MS = 20;
type Task = { task: number; kind: string; method: string; url: string; headers: Record<string, string>; body?: string };

for (const line of readFileSync(PLANTSTORE_TASKS, 'utf8').trim().split('\n')) {
  const { task, kind, url, ...init } = JSON.parse(line) as Task;
  let report: object = { belief: 'failed' };
  // It repeats everything but POST, without a pause.
  for (let left = init.method === 'POST' ? 1 : 3; left > 0; left--) {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(Number(PLANTSTORE_TIMEOUT_MS)) });
      const { status } = response;
      // It takes every response for success, and rounds ids.
      const value = status === 204 ? null : ((await response.json().catch(() => null)) as unknown);
      report = { belief: 'done', status, body: JSON.stringify(value), ...(kind === 'list' && { plants: value ?? [] }) };
      break;
    } catch {
      // It believes that a request without a response was not carried out.
    }
  }
  appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify({ task, ...report })}\n`);
  await sleep(IDLE_MS);
}
