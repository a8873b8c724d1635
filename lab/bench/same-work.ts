/** Checks that the peers do the same work as Plant Store: the same status, header fields and body for each request. */
import { deepEqual } from 'node:assert/strict';
import { request } from 'node:http';
import { inDirectory, onServer } from './checkout.ts';
import { type Contender, NotInstalled } from './servers.ts';
import { TOKEN } from './wrk.ts';

interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly token?: string;
}

/** The second id has no exact number in JavaScript. */
const [FIRST, SECOND] = ['9007199254740991', '9007199254740993'];

const REQUESTS: readonly Sent[] = [
  ...[FIRST, SECOND].map((id) => create(`{"id":${id},"name":"Aloe \\"vera\\" ü","tag":"succulent"}`)),
  create(`{"id":${SECOND},"name":"Aloe \\"vera\\" ü","tag":"succulent"}`),
  { path: `/plants/${SECOND}` },
  { path: '/plants?limit=100' },
  { path: '/plants?limit=1' },
  { path: '/plants?limit=100&tag=succulent' },
];

/** Their status and fields are compared. The messages of errors differ. */
const REFUSED: readonly Sent[] = [
  create(`{"id":${SECOND},"name":"other"}`),
  create('{"id":"3","name":"other"}'),
  { path: '/plants/9007199254740992' },
  { path: '/plants/x' },
  { path: '/plants?limit=0' },
  { path: '/plants', token: 'unknown' },
];

function create(body: string): Sent {
  return { method: 'POST', path: '/plants', body };
}

interface Received {
  readonly status: number | undefined;
  /** The names of the header fields, sorted. */
  readonly fields: readonly string[];
  readonly body: string;
}

/** Throws if a peer responds otherwise than the model. `say` gets the name of a peer that is not installed. */
export async function checkSameWork(
  model: Contender,
  peers: readonly Contender[],
  say: (text: string) => void,
): Promise<void> {
  const expected = await responsesOf(model);
  for (const peer of peers) {
    try {
      deepEqual(await responsesOf(peer), expected, `${peer.name} does not do the same work`);
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error;
      say(`not checked, since ${error.message}`);
    }
  }
}

async function responsesOf(contender: Contender): Promise<Readonly<Record<string, Received>>> {
  return inDirectory((directory) =>
    onServer(contender, directory, async ({ url }) => {
      const received: Record<string, Received> = {};
      for (const one of REQUESTS) received[nameOf(one)] = await send(url, one);
      for (const one of REFUSED) received[nameOf(one)] = { ...(await send(url, one)), body: 'an error' };
      return received;
    }),
  );
}

function nameOf({ method = 'GET', path, body = '', token = '' }: Sent): string {
  return [method, path, body, token].filter(Boolean).join(' ');
}

/** Without the fields of the connection, which Bun leaves out. */
function namesOf(fields: object): readonly string[] {
  return Object.keys(fields)
    .filter((name) => !['connection', 'keep-alive'].includes(name))
    .toSorted();
}

function send(url: string, { method = 'GET', path, body, token = TOKEN }: Sent): Promise<Received> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const sent = request(`${url}${path}`, { method, headers }, async (response) => {
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece;
    resolve({ status: response.statusCode, fields: namesOf(response.headers), body: text });
  });
  sent.once('error', reject).end(body);
  return promise;
}
