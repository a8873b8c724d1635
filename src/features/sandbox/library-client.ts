/** A client of the sandboxes' API, for programs that start the service by the library. */
import { text as textOf } from 'node:stream/consumers';
import { parseJson } from '../../contract/json.ts';
import { NewPlant } from '../../contract/openapi.generated.ts';
import { StartupError } from '../../errors.ts';
import type { StoredPlant } from '../../plants/plant.ts';
import type { FaultRule, ReceivedRequest } from './client-types.generated.ts';
import { FaultCounts, FaultRules } from './sandbox.generated.ts';

/**
 * Creates a sandbox of the service that listens at `url`, in this process. `plants`: those at the start and after each
 * reset. `ttl`: the seconds until it expires; undefined: as long as the service allows. `textOfId`: writes an id in
 * digits, or throws.
 */
export async function createSandbox(
  url: string,
  plants: 'none' | 'garden' | readonly StoredPlant[],
  ttl: number | undefined,
  textOfId: (id: number | bigint | string, at: string) => string,
) {
  const send = async (method: string, path: string, body?: string, token = ''): Promise<string> => {
    const { status, text } = await sendDirectly(method, url + path, token, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${(JSON.parse(text) as { message: string }).message}`);
    return text;
  };
  const own = typeof plants === 'string' ? [] : plants;
  const terms = JSON.stringify({ plants: typeof plants === 'string' ? plants : 'none', ttl });
  const { token } = JSON.parse(await send('POST', '/sandboxes', terms)) as { readonly token: string };
  const control = (method: string, path: string, body?: string) => send(method, `/sandbox${path}`, body, token);
  let first = '';
  if (own.length > 0) {
    for (const plant of own) await send('POST', '/plants', NewPlant.write(plant), token);
    const { number } = JSON.parse(await control('POST', '/snapshots')) as { readonly number: number };
    first = `?snapshot=${number}`;
    await control('DELETE', '/requests');
  }
  /** The rule as JSON with the exact id. */
  const writeRule = ({ match, ...rest }: FaultRule): string => {
    if (match?.id === undefined) return JSON.stringify({ ...rest, match });
    const id = textOfId(match.id, 'match.id');
    if (!/^-?\d+$/.test(id)) throw new StartupError('match.id: it must be an integer');
    return JSON.stringify({ ...rest, match: { ...match, id: JSON.rawJSON(id) } });
  };
  const add = async (rule: FaultRule) => {
    const left = FaultRules.write(leftOf(await control('GET', '/faults/counts'))).slice(1, -1);
    await control('PUT', '/faults', `[${left}${left === '' ? '' : ','}${writeRule(rule)}]`);
  };
  /** Settles when the last rule was added or refused. Each call reads all rules and writes them with one more. */
  let last = Promise.resolve();
  return {
    token,
    fail(rule: FaultRule) {
      const added = last.then(() => add(rule));
      last = added.catch(() => undefined);
      return added;
    },
    requests: async () => JSON.parse(await control('GET', '/requests')) as readonly ReceivedRequest[],
    async reset() {
      await control('POST', `/reset${first}`);
      await control('DELETE', '/faults');
      await control('DELETE', '/requests');
    },
  };
}

/**
 * Sends a request without `fetch`, which a test may have replaced. A new Agent uses no proxy, also if Node takes one
 * from HTTP_PROXY (NODE_USE_ENV_PROXY).
 */
function sendDirectly(method: string, url: string, token: string, body?: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  // src/http/connections/listener.ts explains why neither is imported.
  const { Agent, request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    // The service runs in this process. Its certificate may be one that only the client of the test trusts.
    const options = { method, headers, agent: new Agent(), rejectUnauthorized: false };
    const sent = request(url, options, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** The rules with what is left of `skip` and `times`. Setting rules resets the counts, so used rules would return. */
function leftOf(counts: string): FaultRules {
  const json = parseJson(Buffer.from(counts));
  const counted = 'error' in json ? undefined : FaultCounts.read(json.value, json.written, '', []);
  return (counted ?? []).flatMap(({ rule, matched, applied }) => {
    const { skip = 0, times = Number.POSITIVE_INFINITY } = rule;
    if (applied >= times) return [];
    const ignores = skip > 0 && { skip: Math.max(0, skip - matched) };
    return [{ ...rule, ...ignores, ...(rule.times && { times: times - applied }) }];
  });
}
