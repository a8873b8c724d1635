/** Sends the corpus directly and through proxies, and looks for a request that somebody hid in the body of another. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { generateToken, hashToken } from '../../../src/auth/token.ts';
import { withEngine } from '../../../src/stores/open.ts';
import { createDirectory } from '../../../test/harness/directory.ts';
import { serveProcess } from '../../../test/harness/process.ts';
import { versionsOf } from '../debian.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { type Case, readCorpus } from './corpus.ts';
import { FRONTS, type Front, startFront, startSharedConnection } from './fronts.ts';

/** Node then accepts what RFC 9112 forbids. */
const INSECURE_PARSER = { NODE_OPTIONS: '--insecure-http-parser' };
/** The time in which a response must come, in milliseconds, before the attacker stops waiting. */
const SILENCE_MS = 60;
/** The number of cases in a short run. A control stops at its first violation, but may need more cases. */
const SAMPLE = 64;
const CONTROL_SAMPLE = 256;

/** A victim whose responses take longer than this has lost them. */
const LOST_MS = 5_000;

/** One case on one front: an attacker and a victim, each with a store and a token for no other request. */
interface Duel {
  readonly attack: Case;
  readonly front: string;
  readonly attacker: string;
  readonly victim: string;
  /** The id of the victim's plant. Only the hidden request has it in its path. */
  readonly id: number;
}

await runCheck(async ({ short, control, random }) => {
  const violations = createViolations();
  const corpus = readCorpus();
  const shuffled = corpus.map((one) => ({ one, key: random() })).sort((a, b) => a.key - b.key);
  const size = control === undefined ? SAMPLE : CONTROL_SAMPLE;
  const cases = shuffled.slice(0, short ? size : corpus.length).map(({ one }) => one);
  const fronts = control === undefined ? ['none', ...FRONTS] : ['none'];
  using directory = createDirectory();
  const database = `sqlite:${directory.at('plants.db')}`;
  const duels = fronts.flatMap((front, i) =>
    cases.map((attack, j): Duel => {
      return { attack, front, attacker: generateToken(), victim: generateToken(), id: i * 10_000 + j + 1 };
    }),
  );
  await addTokens(database, duels);
  const options = ['--database', database, '--access-log'];
  const service = await serveProcess(options, control === 'insecure-parser' ? INSECURE_PARSER : {});
  const servicePort = Number(new URL(service.url).port);
  const opened: Front[] = [];
  const sent: Duel[] = [];
  try {
    for (const name of fronts) {
      if (name !== 'none') opened.push(await startFront(name, servicePort, directory.path));
      else if (control === 'shared-connection') opened.push(await startSharedConnection(servicePort));
      else opened.push({ name, port: servicePort, log: () => '', close: async () => undefined });
    }
    await Promise.all(
      fronts.map(async (name, i) => {
        const port = opened[i]?.port ?? 0;
        for (const duel of duels.filter(({ front }) => front === name)) {
          const broken = await fight(duel, port).catch((error: unknown) => `the victim got no response: ${error}`);
          if (broken !== undefined) violations.add(`${duel.front}: ${duel.attack.name}: ${broken}`);
          sent.push(duel);
          if (control !== undefined && (broken !== undefined || hiddenIn(service.stderr()).has(duel.id))) break;
        }
        say(`${name}: done`);
      }),
    );
  } finally {
    for (const front of opened) await front.close();
    await service.stop('SIGTERM');
  }
  const served = hiddenIn(service.stderr());
  const forwarded = fronts.map((_, i) => hiddenIn(opened[i]?.log() ?? ''));
  for (const { attack, front, id } of sent) {
    // A front that reads two requests logs both.
    const isMore = (served.get(id) ?? 0) > (forwarded[fronts.indexOf(front)]?.get(id) ?? 0);
    if (isMore) violations.add(`${front}: ${attack.name}: the service saw the hidden request`);
  }
  checkStores(directory.at('plants.db'), sent, violations.add);
  const counts = { requests: sent.length, cases: cases.length, paths: fronts.length };
  return { counts, versions: versionsOf('nginx', 'haproxy', 'apache2'), ...violations.result() };
});

async function addTokens(database: string, duels: readonly Duel[]): Promise<void> {
  const terms = { createdAt: 0, scopes: ['plants:read', 'plants:write'], expiresAt: undefined, revokedAt: undefined };
  await withEngine(database, 'plants', true, async ({ tokens }) => {
    for (const { id, attacker, victim } of duels) {
      for (const [role, token] of Object.entries({ attacker, victim })) {
        const name = `${role}-${id}`;
        await tokens.add({ ...terms, hash: hashToken(token), name, store: name });
      }
    }
  });
}

/** Returns what the attacker achieved, or undefined. */
async function fight({ attack, attacker, victim, id }: Duel, port: number): Promise<string | undefined> {
  const url = `http://127.0.0.1:${port}/plants`;
  const headers = { Authorization: `Bearer ${victim}`, 'Content-Type': 'application/json', Connection: 'close' };
  const plant = { id, name: `Victim ${id}` };
  const signal = AbortSignal.timeout(LOST_MS);
  const made = await fetch(url, { method: 'POST', headers, body: JSON.stringify(plant), signal });
  if (made.status !== 200) return `the victim's create returned ${made.status}`;
  const socket = connect({ port, host: '127.0.0.1' });
  const closed = once(socket, 'close').catch(() => undefined);
  let received = '';
  let heard = performance.now();
  socket.on('data', (bytes: Buffer) => {
    heard = performance.now();
    received += bytes.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(attack.bytes(attacker, `/plants/${id}`));
  while (!socket.closed && performance.now() - heard < SILENCE_MS) await sleep(2);
  const listed = await fetch(url, { headers, signal });
  const text = await listed.text();
  socket.end();
  await Promise.race([closed, sleep(SILENCE_MS)]);
  socket.destroy();
  if (received.includes(`Victim ${id}`) || received.includes(victim)) return "the attacker got the victim's response";
  const isRight = listed.status === 200 && isDeepStrictEqual(JSON.parse(text), [plant]);
  return isRight ? undefined : `the victim got ${listed.status} ${text}`;
}

/** Counts the hidden requests in a log, by id. */
function hiddenIn(log: string): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [, id] of log.matchAll(/\/plants\/(\d+)[ "]/g)) counts.set(Number(id), (counts.get(Number(id)) ?? 0) + 1);
  return counts;
}

/** Compares what the owners stored with what is there. */
function checkStores(file: string, duels: readonly Duel[], report: (violation: string) => void): void {
  using database = new DatabaseSync(file, { readOnly: true });
  const query = 'SELECT stores.name AS store, id, plants.name FROM plants JOIN stores ON stores.number = plants.store';
  const rows = database.prepare(query).all();
  const found = new Set(rows.map(({ store, id, name }) => `${store} ${id} ${name}`));
  for (const { id, attack, front } of duels) {
    const own = `victim-${id} ${id} Victim ${id}`;
    if (!found.delete(own)) report(`${front}: ${attack.name}: the victim's plant is gone`);
  }
  for (const row of found) report(`a plant that nobody meant to store: ${row}`);
}
