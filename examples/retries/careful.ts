/** Sends requests to a Plant Store so that no failure of the network loses, repeats or overwrites a plant. */
export type Call = { method: string; url: string; headers: Record<string, string>; body?: string };
export type Received = { status: number; headers: Headers; body: string };
/** `unknown`: nobody can find out whether the request was carried out. */
export type Result = { belief: 'done' | 'failed' | 'unknown'; response?: Received | undefined };

const ATTEMPTS = 6;
const PAUSE_MS = 100;
const MAY_SUCCEED_LATER = [408, 425, 429];

/** One attempt. Undefined: no whole response arrived within `timeout` milliseconds. */
async function attempt({ url, ...init }: Call, timeout: number): Promise<Received | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout) });
    const { status, headers } = response;
    const body = await response.text();
    // A proxy or a connection without a length may cut a body without an error.
    if (status < 300 && status !== 204) JSON.parse(body);
    return { status, headers, body };
  } catch {
    return undefined;
  }
}

export async function send(call: Call, timeout: number): Promise<Result> {
  let { headers } = call;
  const look = () => send({ method: 'GET', url: addressOf(call), headers: call.headers }, timeout);
  if (['PUT', 'DELETE'].includes(call.method) && !headers['If-Match']) {
    // With If-Match a repetition cannot undo what another client does in between.
    const etag = (await look()).response?.headers.get('ETag');
    if (etag) headers = { ...headers, 'If-Match': etag };
  }
  for (let i = 0, mayBeDone = false; i < ATTEMPTS; i++) {
    const response = await attempt({ ...call, headers }, timeout);
    const status = response?.status ?? 0;
    if (status >= 200 && status < 300) return { belief: 'done', response };
    if (status >= 400 && status < 500 && !MAY_SUCCEED_LATER.includes(status)) {
      return { belief: mayBeDone ? await find(call, status, look) : 'failed', response };
    }
    if (status === 0 || status >= 500) mayBeDone = true;
    await new Promise((resolve) => setTimeout(resolve, pauseOf(response?.headers.get('Retry-After'), i)));
  }
  return { belief: 'unknown' };
}

/** An earlier attempt may have been carried out. The store shows it. */
async function find({ method, body = '' }: Call, status: number, look: () => Promise<Result>) {
  if (method === 'DELETE') return status === 404 ? 'done' : 'unknown';
  const [wanted, { response }] = [JSON.parse(body), await look()];
  const stored = response?.status === 200 ? JSON.parse(response.body) : {};
  return wanted.name === stored.name && wanted.tag === stored.tag ? 'done' : 'unknown';
}

const addressOf = ({ method, url, body = '' }: Call) =>
  method === 'POST' ? `${url}/${/"id":\s*(-?\d+)/.exec(body)?.[1]}` : url;

/** Retry-After has seconds or a date (RFC 9110, 10.2.3). Without it, each pause is longer than the one before. */
function pauseOf(after: string | null | undefined, attempts: number): number {
  if (!after) return PAUSE_MS * 2 ** attempts * (0.5 + Math.random());
  return /^\d+$/.test(after) ? Number(after) * 1_000 : Math.max(0, Date.parse(after) - Date.now());
}
