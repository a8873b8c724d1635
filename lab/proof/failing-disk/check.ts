/** Disturbs services under load, starts them once more, and looks for everything that was confirmed. */
import { globSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDirectory } from '../../../test/harness/directory.ts';
import { runCommand } from '../../../test/harness/process.ts';
import { environmentOf } from '../control.ts';
import { versionsOf } from '../debian.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { startTrial } from './trial.ts';

/** The requests of one trial. */
const REQUESTS = 160;
/** About a third of the services on a failing disk do not start. */
const MOST_UNSTARTED = 100;
/** How long a slow sync takes, in milliseconds. */
const SLOW_MS = 150;
/** System calls, and the errors that they return on a disk that fails, is full or was mounted read-only. */
const ERRORS = [
  ['fsync,fdatasync', 'EIO'],
  ['fsync,fdatasync', 'ENOSPC'],
  ['pwrite64', 'EIO'],
  ['pwrite64', 'EROFS'],
  ['pwrite64', 'ENOSPC'],
] as const;
/** How long after a jump of the clock an expired token may still be valid, on a busy machine. */
const EXPIRY_MS = 10_000;

const FULL = { 'failing disks': 60, 'slow disks': 4, 'moved files': 12, 'moved clocks': 4 };
const SHORT = { 'failing disks': 3, 'slow disks': 1, 'moved files': 1, 'moved clocks': 1 };
type Kind = keyof typeof FULL;
/** The kind of trial that has to notice a control. */
const NOTICED_BY: Readonly<Record<string, Kind>> = {
  'errors-ignored': 'failing disks',
  'synchronous-normal': 'slow disks',
  'place-ignored': 'moved files',
  'expired-token-accepted': 'moved clocks',
};

await runCheck(async ({ short, control, random }) => {
  const violations = createViolations();
  const counts: Record<string, number> = { trials: 0 };
  const below = (limit: number) => Math.floor(random() * limit);
  const env = environmentOf(control);
  const strace = (calls: string, inject: string) => [
    'strace',
    '-D',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:${inject}`,
  ];
  const add = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const note = (status: number) => {
    add('requests');
    if (status === 200 || status === 204) add('confirmed requests');
    else if (status !== 503 && status !== 0) violations.add(`status ${status}`);
  };

  const trials: Readonly<Record<Kind, () => Promise<void>>> = {
    /** One call fails, or all from that call on, or ten in a row. */
    async 'failing disks'() {
      const [calls, error] = ERRORS[below(ERRORS.length)] ?? ERRORS[0];
      const first = 2 + below(calls === 'pwrite64' ? 100 : 16);
      const when = [`${first}`, `${first}+`, `${first}..${first + 9}`][below(3)];
      using trial = await startTrial(random, env, strace(calls, `error=${error}:when=${when}`)).catch(() => undefined);
      // The call can fail before the service is ready. Such a trial shows nothing, so another one takes its place.
      if (trial === undefined) {
        add('services that did not start');
        if ((counts['services that did not start'] ?? 0) <= MOST_UNSTARTED) return trials['failing disks']();
        throw new Error(`more than ${MOST_UNSTARTED} services did not start`);
      }
      await trial.run(REQUESTS, note);
      if ((await trial.end()) !== 0) add('services that exited');
      for (const text of await trial.verify()) violations.add(`${calls} fails with ${error} (${when}): ${text}`);
    },
    /** No response may leave before its sync has ended. */
    async 'slow disks'() {
      using trial = await startTrial(random, env, strace('fsync,fdatasync', `delay_enter=${SLOW_MS * 1_000}`));
      await trial.run(REQUESTS / 2, (status, milliseconds) => {
        note(status);
        if (milliseconds < SLOW_MS) violations.add(`a response after ${milliseconds} ms, before its sync has ended`);
      });
      await trial.end();
      for (const text of await trial.verify()) violations.add(`slow syncs: ${text}`);
    },
    /** What a request stores after the move would not be found at the next start. */
    async 'moved files'() {
      using trial = await startTrial(random, env);
      await trial.run(REQUESTS, note);
      const moved = `${trial.path}${['', '-wal', '-shm'][below(3)]}`;
      renameSync(moved, `${moved}.moved`);
      await trial.run(REQUESTS, (status) => {
        note(status);
        if (status === 200 || status === 204) violations.add(`a ${status} after ${moved} was moved`);
      });
      if ((await trial.end()) !== 1) violations.add(`the service did not end with 1 after ${moved} was moved`);
      renameSync(`${moved}.moved`, moved);
      for (const text of await trial.verify()) violations.add(`${moved} was moved: ${text}`);
    },
    async 'moved clocks'() {
      using directory = createDirectory();
      const clock = directory.at('clock');
      const move = (to: string) => writeFileSync(clock, to);
      move('+0');
      const [library = ''] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
      using trial = await startTrial(random, {
        ...env,
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      });
      const made = await runCommand(['token', 'create', '--expires', '90d', '--database', `sqlite:${trial.path}`]);
      const token = made.stdout.trim();
      const isValid = async () => (await trial.client.send('GET', '/plants?limit=1', { token })).status === 200;
      const becomes = async (valid: boolean) => {
        const deadline = performance.now() + EXPIRY_MS;
        while ((await isValid()) !== valid && performance.now() < deadline) await sleep(50);
        if ((await isValid()) !== valid) violations.add(`a token for 90 days is ${valid ? 'not ' : ''}valid`);
      };
      await becomes(true);
      for (const [to, valid] of [
        ['+100y', false],
        ['-100y', true],
      ] as const) {
        move(to);
        await trial.run(REQUESTS / 2, (status) => {
          note(status);
          if (status !== 200 && status !== 204) violations.add(`status ${status} with the clock at ${to}`);
        });
        await becomes(valid);
      }
      await trial.end();
      for (const text of await trial.verify()) violations.add(`the clock moved: ${text}`);
    },
  };

  for (const [kind, count] of Object.entries(short ? SHORT : FULL) as [Kind, number][]) {
    if (control !== undefined && NOTICED_BY[control] !== kind) continue;
    for (let n = 0; n < count; n++) {
      await trials[kind]();
      add('trials');
      add(kind);
    }
    say(`${count} ${kind}`);
  }
  return { counts, versions: versionsOf('strace', 'libfaketime'), ...violations.result() };
});
