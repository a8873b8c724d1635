/** Gradings for the tests: each with its own folders, and testers of a few lines. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand } from '../../../test/harness/process.ts';

/** The files that use this module share it, so the directory stays until the process ends. */
export const place = createDirectory();
process.once('exit', () => place[Symbol.dispose]());

let gradings = 0;

export interface Recorded {
  readonly name: string;
  readonly defect: string | null;
  readonly seed: number;
  readonly round: number;
  readonly output: string;
}

/** Prepares a grading with its own output folder and temporary folder. */
export function prepare(options: readonly string[], tester: readonly string[]) {
  gradings += 1;
  const [output, temporary, json] = ['output', 'temporary', 'json'].map((name) => place.at(`${name}-${gradings}`));
  assert.ok(output !== undefined && temporary !== undefined && json !== undefined);
  spawnSync('mkdir', [temporary]);
  const args = ['grade', '--output', output, '--json', json, ...options, '--', ...tester];
  return {
    args,
    env: { TMPDIR: temporary },
    run: (env = {}) => runCommand(args, { TMPDIR: temporary, ...env }),
    output,
    /** What the tester printed in each run with the defect, or in each control. */
    printed: (defect: string | null): string[] => {
      const runs: Recorded[] = JSON.parse(readFileSync(json, 'utf8')).runs;
      return runs.filter((run) => run.defect === defect).map((run) => readFileSync(run.output, 'utf8'));
    },
    record: () => JSON.parse(readFileSync(json, 'utf8')),
    hasOutput: () => existsSync(output),
    leftovers: () => readdirSync(temporary).filter((name) => name.startsWith('plantstore-')),
  };
}

export function writeInPlace(name: string, text: string): string {
  writeFileSync(place.at(name), text);
  return place.at(name);
}

/** Waits until `holds` returns true. Otherwise the end of the child, or the time limit of the test, ends it. */
export async function eventually(holds: () => boolean | Promise<boolean>, child?: ChildProcess): Promise<void> {
  while (!(await holds())) {
    assert.ok(child === undefined || child.exitCode === null, `grade ended with ${child?.exitCode}`);
    await sleep(20);
  }
}

/** A zombie, whose end nobody has read, does not count as running. */
export function isRunning(pid: string): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

export const CREATE_AND_READ = `
set -e
send() { curl -sSi "$@" -H "Authorization: Bearer $PLANTSTORE_TOKEN"; }
send "$PLANTSTORE_URL/plants" -H 'Content-Type: application/json' -d '{"id": 12, "name": "Aloe vera"}' | grep '200 OK'
send "$PLANTSTORE_URL/plants/12" | grep -i '^etag: '
`;
/** Creates a plant, reads it and expects an ETag. */
export const tester = ['sh', writeInPlace('tester.sh', CREATE_AND_READ)];

const QUICK_DESCRIPTION = {
  paths: {
    '/plants': { post: { operationId: 'createPlant' } },
    '/plants/{plantId}': { get: { operationId: 'getPlant' } },
  },
};
const QUICK_SERVICE = `
import { createServer } from 'node:http';
import { Socket } from 'node:net';
const channel = new Socket({ fd: Number(process.env.GRADE_CHANNEL) });
const send = (message) => channel.write(JSON.stringify(message) + '\\n');
const counts = { requests: 0, triggered: 0, succeeded: 0, credentials: 0 };
channel.once('data', (line) => {
  const { defect } = JSON.parse(line);
  const server = createServer((request, response) => {
    if (request.url === '/openapi.json') return response.end(${JSON.stringify(JSON.stringify(QUICK_DESCRIPTION))});
    counts.requests++;
    counts.succeeded++;
    if (request.headers.authorization !== undefined) counts.credentials++;
    const isCreate = request.method === 'POST';
    if (defect === 'strong-etag-missing' || (defect === 'location-missing' && isCreate)) counts.triggered++;
    if (defect !== 'strong-etag-missing') response.setHeader('ETag', '"1"');
    if (isCreate && defect !== 'location-missing') response.setHeader('Location', '/plants/12');
    response.end('{"id":12,"name":"Aloe vera"}');
    send({ counts });
  });
  server.listen(0, '127.0.0.1', () => send({ url: 'http://127.0.0.1:' + server.address().port }));
  channel.on('end', () => process.exit());
});
`;
const QUICK_MANIFEST = {
  name: 'Quick',
  version: '1',
  openapi: '/openapi.json',
  start: [process.execPath, writeInPlace('quick.mjs', QUICK_SERVICE)],
  values: [{ name: 'token', value: 'quick-token' }],
  defects: ['location-missing', 'strong-etag-missing', 'replace-creates'].map((name) => {
    const isState = name === 'replace-creates';
    const rule = { tier: isState ? 'state' : 'schema', breaks: '#/paths', ruleIn: 'schema' };
    return { ...rule, name, does: `It has the defect ${name}.`, operation: 'createPlant', wfc: [] };
  }),
};
/**
 * Options for a service with three defects of Plant Store. A grading on it uses a third of the CPU, so it is for tests
 * of the grader alone. It knows only the tester above: each response is that of a created plant.
 */
export const QUICK = ['--manifest', writeInPlace('quick.json', JSON.stringify(QUICK_MANIFEST))];

export const outcomes = (record: { defects: readonly { name: string; outcome: string }[] }) =>
  Object.fromEntries(record.defects.map(({ name, outcome }) => [name, outcome]));
