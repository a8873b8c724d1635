/**
 * `node lab/bench/attacks/run.ts` attacks the service of a checkout as hostile visitors would, and measures two
 * innocent clients meanwhile: another visitor and an operator. docs/benchmark/attacks.md explains the options and the
 * results.
 */
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine, refuse } from '../../../scripts/command-line.ts';
import { createSchema, type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';
import { inDirectory, onServer } from '../checkout.ts';
import { sizeOf } from '../cost.ts';
import { spread } from '../figures.ts';
import { quiet } from '../measure.ts';
import { commit, howMeasured, say, writePart } from '../report.ts';
import { type Contender, plantStore, ROOT, type Server } from '../servers.ts';
import type { Attacker } from './attacker.ts';
import { type Comparison, comparison } from './comparison.ts';
import type { Counts } from './counting-client.ts';
import { ATTACKS } from './index.ts';
import type { Innocents, Latency } from './innocents.ts';
import type { Outcome, Round } from './outcome.ts';
import { startPart } from './task-process.ts';

const { values } = readCommandLine(import.meta.filename, {
  options: {
    attack: { type: 'string', multiple: true },
    'all-together': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '25' },
    database: { type: 'string', default: 'sqlite' },
    checkout: { type: 'string', default: ROOT },
    against: { type: 'string' },
    write: { type: 'boolean', default: false },
    options: { type: 'string', default: '' },
  },
});
const engine = values.database;
const seconds = Number(values.seconds);
const quietSeconds = Math.min(10, Math.max(5, seconds / 2));
const rounds = Number(values.rounds);
const rate = Number(values.rate);
const OPTIONS = ['--sandboxes', '10000', '--trust-proxy', '127.0.0.1', ...values.options.split(' ').filter(Boolean)];

const MB = 1e6;
const MIB = 2 ** 20;
const MEMORY_LIMIT = 512;
/** As docs/guide/public.md advises where no container limits the memory. */
const HEAP = '--max-old-space-size=256';
/** The most bytes of a sandbox: its plants and its snapshots. */
const SANDBOX_BYTES = (4 + 8) * MIB;
/** The most further bytes of a sandbox that an option allows: 500 of the longest events, and attempts of webhooks. */
const FURTHER_BYTES: Readonly<Record<string, number>> = { '--events': 10 * MIB, '--webhooks': 4 * MIB };
/** The largest good ratio of the p99 during an attack to the p99 before it. */
const RATIO_LIMIT = 3;
const ABOVE_OTHERS = -10;
const BELOW_OTHERS = 19;

const medianOf = (list: readonly number[]) => spread(list).median;

const possible = Object.keys(ATTACKS).filter((name) => ATTACKS[name]?.only === undefined || engine === 'postgres');
const names = values.attack?.flatMap((list) => list.split(',')) ?? possible;
const unknown = names.find((name) => !(name in ATTACKS));
if (unknown !== undefined) refuse(`there is no attack ${unknown}; there are ${Object.keys(ATTACKS).join()}`);

const checkouts = [values.checkout, values.against ?? []].flat().map((path) => resolve(path));
const measured: Comparison[] = [];

const postgres = engine === 'postgres' ? await startPostgres() : undefined;
try {
  say('| attack | client | p99 quiet | p99 attacked | worst | ratio | 5xx | failed | memory | database | sandboxes |');
  say('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  const groups = values['all-together'] ? [names] : names.map((name) => [name]);
  for (const [i, group] of groups.entries()) {
    const attack = group.length === 1 ? `${group[0]}` : 'all together';
    const outcomes = new Map<string, Outcome>();
    // The order alternates, so that other work of the machine affects both checkouts alike.
    for (const checkout of i % 2 === 0 ? checkouts : checkouts.toReversed()) {
      const outcome = await inDirectory((directory) => attackIn(directory, checkout, group, postgres));
      show(checkouts.length === 1 ? attack : `${attack}, ${commit(checkout)}`, outcome);
      if (values['all-together'] && !holds(group, outcome)) process.exitCode = 1;
      outcomes.set(checkout, outcome);
    }
    measured.push({ attack, outcomes: checkouts.flatMap((checkout) => outcomes.get(checkout) ?? []) });
  }
} finally {
  await postgres?.remove();
}
if (checkouts.length > 1) {
  const table = `${comparison(measured, checkouts.map(commit))}\n\n${howMeasured({ rounds, seconds })}`;
  say(`\n${table}`);
  if (values.write) writePart('attacks.md', `${values['all-together'] ? 'together' : 'alone'}, ${engine}`, table);
}

/** The further options that the attacks of a group need, each once. */
function optionsOf(group: readonly string[]): ReadonlySet<string> {
  return new Set(group.flatMap((name) => ATTACKS[name]?.options ?? []));
}

async function attackIn(
  directory: string,
  checkout: string,
  group: readonly string[],
  server: PostgresServer | undefined,
) {
  await using schema = server && (await createSchema(server.url));
  const contender = plantStore(checkout, schema?.url, [...OPTIONS, ...optionsOf(group)]);
  const limited: Contender = {
    ...contender,
    command(...at) {
      const command = contender.command(...at);
      return command && { ...command, env: { ...command.env, NODE_OPTIONS: HEAP } };
    },
  };
  const database = schema?.url ?? `sqlite:${join(directory, 'plants.db')}`;
  return await onServer(limited, directory, (service) => measure(service, group, database));
}

async function measure(service: Server, group: readonly string[], database: string): Promise<Outcome> {
  const { url } = service;
  const innocents = startPart<Innocents>('innocents.ts', ABOVE_OTHERS);
  const attackers = group.map((name) => ({ name, part: startPart<Attacker>('attacker.ts', BELOW_OTHERS) }));
  let memory = 0;
  let hasEnded = false;
  const watch = setInterval(() => {
    const now = service.peakMemory();
    memory = Math.max(memory, now);
    hasEnded ||= now === 0;
  }, 200);
  try {
    const warm = 3;
    const creates = Math.ceil(((warm + rounds * (quietSeconds + seconds)) * rate) / 3) + 10;
    await innocents.ask('open', { url, creates });
    for (const { name, part } of attackers) await part.ask('prepare', { name, url });
    await innocents.ask('measure', { seconds: warm, rate });
    const visitor: Round[] = [];
    const operator: Round[] = [];
    const got: Counts[] = [];
    let sandboxes = 0;
    for (let round = 0; round < rounds; round++) {
      await quiet(service);
      const before = await innocents.ask('measure', { seconds: quietSeconds, rate });
      const strikes = attackers.map(({ part }) => part.ask('strike', seconds));
      const during = await innocents.ask('measure', { seconds, rate });
      const struck = await Promise.all(strikes);
      visitor.push({ quiet: before[0] as Latency, attacked: during[0] as Latency });
      operator.push({ quiet: before[1] as Latency, attacked: during[1] as Latency });
      got.push(...struck.map(({ counts }) => counts));
      sandboxes = struck.reduce((sum, one) => sum + one.sandboxes, 0);
    }
    const size = (await sizeOf(database)) / MB;
    await sleep(500);
    const { confirmed, lost } = await innocents.ask('verify');
    return { visitor, operator, got, sandboxes, memory, size, hasEnded, confirmed, lost };
  } finally {
    clearInterval(watch);
    innocents.end();
    for (const { part } of attackers) part.end();
  }
}

function show(attack: string, outcome: Outcome): void {
  const clients = { visitor: outcome.visitor, operator: outcome.operator };
  for (const [client, seen] of Object.entries(clients)) {
    const before = medianOf(seen.map(({ quiet }) => quiet.p99));
    const during = seen.map(({ attacked }) => attacked.p99);
    const ratio = medianOf(seen.map(({ quiet, attacked }) => attacked.p99 / quiet.p99));
    const failed = sum(seen.map(({ attacked }) => attacked.failed));
    const count = (counts: Counts) => Object.values(counts).reduce((all, one) => all + one, 0);
    const isServerError = ([status]: [string, number]) => status.startsWith('5');
    const cells = [
      attack,
      client,
      ...[before, medianOf(during), Math.max(...during)].map((ms) => `${ms.toFixed(1)} ms`),
      `${ratio.toFixed(1)}${ratio > RATIO_LIMIT ? ' **over**' : ''}`,
      count(Object.fromEntries(Object.entries(failed).filter(isServerError))),
      count(failed) === 0 ? 0 : `${count(failed)} of ${seen.reduce((all, one) => all + one.attacked.requests, 0)}`,
      outcome.hasEnded ? '**ended**' : `${Math.round(outcome.memory)} MB`,
      `${Math.round(outcome.size)} MB`,
      outcome.sandboxes,
    ];
    say(`| ${cells.join(' | ')} |`);
    if (count(failed) > 0) process.stderr.write(`  the ${client} got ${JSON.stringify(failed)}\n`);
  }
  process.stderr.write(`  attackers got ${JSON.stringify(sum(outcome.got))}\n`);
  if (outcome.lost > 0) process.stderr.write(`  ${outcome.lost} of ${outcome.confirmed} confirmed plants are lost\n`);
}

function sum(all: readonly Counts[]): Counts {
  const result: Record<string, number> = {};
  for (const [key, number] of all.flatMap(Object.entries<number>)) result[key] = (result[key] ?? 0) + number;
  return result;
}

/** Checks what must hold after all attacks together, and prints what does not. */
function holds(group: readonly string[], outcome: Outcome): boolean {
  const further = [...optionsOf(group)].reduce((sum, option) => sum + (FURTHER_BYTES[option] ?? 0), 0);
  const budget = ((outcome.sandboxes + 1) * (SANDBOX_BYTES + further)) / MB;
  const checks = {
    'the service runs': !outcome.hasEnded,
    [`the service took ${Math.round(outcome.memory)} MB, at most ${MEMORY_LIMIT}`]: outcome.memory <= MEMORY_LIMIT,
    [`the database takes ${Math.round(outcome.size)} MB, at most 1.2 × ${Math.round(budget)}`]:
      outcome.size <= 1.2 * budget,
    [`${outcome.lost} of ${outcome.confirmed} confirmed plants are lost, none may be`]: outcome.lost === 0,
  };
  for (const [check, isTrue] of Object.entries(checks)) say(`${isTrue ? 'ok' : 'NOT OK'}: ${check}`);
  return Object.values(checks).every(Boolean);
}
