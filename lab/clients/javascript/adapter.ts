/** Does the tasks of `plantstore grade client` with the function `send` of a library. It repeats nothing. */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The final response, whose body was read to its end. */
export interface Result {
  readonly status: number;
  readonly body: string;
  /** The header Link. */
  readonly link: string | null | undefined;
}

/** `timeout` is the longest time of one attempt, in milliseconds. */
export type Send = (call: Call, timeout: number) => Promise<Result>;

/** The result of a response of fetch. */
export async function readResponse(response: Response): Promise<Result> {
  return { status: response.status, body: await response.text(), link: response.headers.get('Link') };
}

/** Reads all pages. The ids stay exact, as texts. */
async function list(send: Send, call: Call, timeout: number): Promise<object> {
  const plants: unknown[] = [];
  for (let url: string | undefined = call.url; url !== undefined; ) {
    const { status, body, link } = await send({ ...call, url }, timeout);
    if (status >= 300) return { status, body };
    plants.push(...(JSON.parse(body.replaceAll(/"id":\s*(-?\d+)/g, '"id":"$1"')) as readonly unknown[]));
    const next: string | undefined = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
    url = next && new URL(next, url).href;
  }
  return { status: 200, plants };
}

/** A client uses a connection again only when it is idle. */
const IDLE_MS = 20;

/** Does all tasks in their order, and adds each to the report. */
export async function doTasks(send: Send): Promise<void> {
  const { PLANTSTORE_TASKS = '', PLANTSTORE_REPORT = '', PLANTSTORE_TIMEOUT_MS } = process.env;
  const timeout = Number(PLANTSTORE_TIMEOUT_MS);
  for (const line of readFileSync(PLANTSTORE_TASKS, 'utf8').trim().split('\n')) {
    const { task, kind, ...call } = JSON.parse(line) as Call & { readonly task: number; readonly kind: string };
    const done = kind === 'list' ? list(send, call, timeout) : send(call, timeout);
    const report = await done.catch((error: unknown) => ({ error: String(error) }));
    appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify({ task, ...report })}\n`);
    await sleep(IDLE_MS);
  }
}
