/** Sends requests to a Plant Store so that no failure of the network loses, repeats or overwrites a plant. */
export interface Call {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The address of the plant, for a call that writes it. */
  plant?: string | undefined;
}
/** `unknown`: nobody can find out whether the request was carried out. `status` 0: no whole response arrived. */
export type Result = { belief: 'done' | 'failed' | 'unknown'; status: number; headers: Headers; body: string };

const [ATTEMPTS, PAUSE_MS, MAY_SUCCEED_LATER] = [6, 100, [408, 425, 429]];

/** `timeout`: the longest time of an attempt, in milliseconds. */
export async function send({ plant, ...call }: Call, timeout: number): Promise<Result> {
  const { Authorization = '', ...others } = call.headers;
  const look = (url: string) => send({ method: 'GET', url, headers: { Authorization } }, timeout);
  if (plant && call.method !== 'POST' && !others['If-Match']) {
    // With If-Match a repetition cannot undo what another client does in between.
    const etag = (await look(plant)).headers.get('ETag');
    if (etag) call.headers = { ...call.headers, 'If-Match': etag };
  }
  for (let i = 0, mayBeDone = false; i < ATTEMPTS; i++) {
    const result = await attempt(call, timeout);
    const { status, headers } = result;
    if (status >= 200 && status < 300) return { ...result, belief: 'done' };
    if (status >= 400 && status < 500 && !MAY_SUCCEED_LATER.includes(status)) {
      // Bun and Deno themselves repeat a PUT or DELETE if a kept connection is lost.
      mayBeDone ||= 'If-Match' in call.headers && (status === 404 || status === 412);
      if (!plant || !mayBeDone) return { ...result, belief: 'failed' };
      return { ...result, belief: isDone(call, await look(plant)) ? 'done' : 'unknown' };
    }
    mayBeDone ||= status === 0 || status >= 500;
    await new Promise((resolve) => setTimeout(resolve, pauseOf(headers.get('Retry-After'), i)));
  }
  return { belief: 'unknown', status: 0, headers: new Headers(), body: '' };
}

async function attempt({ url, ...init }: Call, timeout: number): Promise<Result> {
  try {
    const response = await fetch(url, { ...init, cache: 'no-store', signal: AbortSignal.timeout(timeout) });
    const body = await response.text();
    if (response.status === 200) JSON.parse(body); // A body without a length may be cut without an error.
    return { belief: 'unknown', status: response.status, headers: response.headers, body };
  } catch {
    return { belief: 'unknown', status: 0, headers: new Headers(), body: '' };
  }
}

/** An earlier attempt may have been carried out. The store shows it. */
function isDone({ method, body = '' }: Call, { status, body: found }: Result): boolean {
  if (method === 'DELETE') return status === 404;
  const [wanted, stored] = [JSON.parse(body), status === 200 ? JSON.parse(found) : {}];
  return wanted.name === stored.name && wanted.tag === stored.tag;
}

/** Retry-After has seconds or a date (RFC 9110, 10.2.3). Without it, each pause is longer than the one before. */
function pauseOf(after: string | null, attempts: number): number {
  if (!after) return PAUSE_MS * 2 ** attempts * (0.5 + Math.random());
  return /^\d+$/.test(after) ? Number(after) * 1_000 : Math.max(0, Date.parse(after) - Date.now());
}
