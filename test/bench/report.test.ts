import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bar, chart } from '../../bench/chart.ts';
import { EXECUTABLE, NGINX, PLANT_STORE, WITHOUT_STORE } from '../../bench/contenders.ts';
import type { Figures } from '../../bench/figures.ts';
import { goals } from '../../bench/goals.ts';
import { report } from '../../bench/report.ts';

const PEER = 'a peer';

/** Plant Store costs `ours` in each round, the others what they do here. */
function figures(ours: readonly number[], more: Partial<Figures> = {}): Figures {
  const servers = [NGINX, WITHOUT_STORE, PLANT_STORE, { name: PEER, note: 'one commit a write', durable: true }];
  const session = (round: number, server: string, cpu: number, p999 = 2): Figures['sessions'][number] => ({
    ...{ round, server, disk: 'usual', workload: 'create', peakMemory: 50 },
    full: { requestsPerSecond: 1e6 / cpu, cpu: { user: cpu * 0.75, system: cpu * 0.25 }, loader: 0.5, others: 0 },
    half: { share: 0.5, requests: 10_000, p50: 1, p99: 1.5, p999, max: 9 },
  });
  return {
    ...{ date: '2026-01-02', commit: 'abc', rounds: ours.length, seconds: 1, versions: { Node: '26' } },
    machine: { processor: 'P', cores: 2, memory: 8, kernel: 'Linux', sync: 0.1 },
    servers: servers.map(({ name, note, durable }) => ({ name, note, durable })),
    sessions: ours.flatMap((cpu, i) => [
      session(i + 1, NGINX.name, 8),
      session(i + 1, WITHOUT_STORE.name, 10),
      session(i + 1, PLANT_STORE.name, cpu),
      session(i + 1, PEER, 100),
    ]),
    ...{ failures: [], reads: [], ready: [], tenMillion: undefined, soak: undefined },
    ...more,
  };
}

const verdict = (all: Figures, says: RegExp) => goals(all).find((goal) => says.test(goal.says))?.met;

test('a goal is judged by the median of the ratios of the rounds', () => {
  const says = /^A create with sequential ids/;
  assert.equal(verdict(figures([12, 11, 30]), says), true);
  assert.equal(verdict(figures([12, 13, 30]), says), false);
});

test('the peers are met when each costs five times as much and serves fewer', () => {
  const says = /fifth of the CPU/;
  assert.equal(verdict(figures([20]), says), true);
  assert.equal(verdict(figures([21]), says), false);
});

test('what was not measured is neither met nor missed', () => {
  const all = goals(figures([10]));
  assert.equal(verdict(figures([10]), /10 million creates/), undefined);
  assert.match(report(figures([10]), []), /10 million creates \| – \| not measured \|/);
  assert.ok(all.every(({ met, found }) => (met === undefined) === (found === '–')));
});

test('starts and memory are judged by their own figures', () => {
  const ready = [{ server: EXECUTABLE.name, stored: 0, milliseconds: [150, 190, 250] }];
  const tenMillion = { creates: 1e7, seconds: 300, cpu: { user: 1, system: 1 }, peakMemory: 130, memoryAfter: 110 };
  const all = figures([10], { ready, tenMillion });
  assert.equal(verdict(all, /^… the single executable$/), true);
  assert.equal(verdict(all, /10 million creates/), true);
  assert.equal(verdict(all, /at its most during them/), false);
});

test('memory grows when its trend does, once it has settled', () => {
  const soak = (of: (minutes: number) => number) => ({
    ...{ date: '2026-01-02', commit: 'abc', workload: 'Create', requests: 1 },
    samples: Array.from({ length: 20 }, (_, i) => ({ minutes: (i + 1) / 2, megabytes: of((i + 1) / 2) })),
  });
  const settling = soak((minutes) => (minutes <= 2 ? 50 * minutes : 100));
  assert.equal(verdict(figures([10], { soak: settling }), /no growth/), true);
  assert.equal(verdict(figures([10], { soak: soak((minutes) => 100 + minutes) }), /no growth/), false);
});

test('the report has a line for every server, and says what failed', () => {
  const failures: Figures['failures'] = [
    { round: 1, disk: 'slow', workload: 'create', server: PEER, message: 'it ended\nthe rest' },
  ];
  const page = report(figures([20], { failures }), [{ file: 'cpu.svg', title: 'CPU' }]);
  assert.match(page, /\| Plant Store \| 20\.0 \| 50,000 \| 1\.00 \| 1\.50 \| 2\.00 \| 50\.0 \|/);
  assert.match(page, /\| a peer \| it ended \|/);
  assert.match(page, /!\[CPU\]\(cpu\.svg\)/);
});

test('the report says when something else was in the way', () => {
  const all = figures([20]);
  const sessions = all.sessions.map((one, i) => ({ ...one, full: { ...one.full, others: i === 0 ? 0.5 : 0.01 } }));
  assert.match(report({ ...all, sessions }, []), /in 1 of 4 sessions something else/);
});

test('latencies of a load that was not half are not shown', () => {
  const all = figures([20]);
  const sessions = all.sessions.map((one) => ({ ...one, half: { ...one.half, share: 0.7 } }));
  assert.match(report({ ...all, sessions }, []), /\| Plant Store \| 20\.0 \| 50,000 \| – \| – \| – \| 50\.0 \|/);
});

test('a goal for half load is not judged by a load that was not half', () => {
  const all = figures([20]);
  const sessions = all.sessions.map((one) => ({ ...one, half: { ...one.half, share: 0.7 } }));
  assert.equal(verdict(all, /^Creates at half load/), true);
  assert.equal(verdict({ ...all, sessions }, /^Creates at half load/), undefined);
  const reads = (creates: 'full' | 'half', createsPerSecond: number) => ({
    ...{ round: 1, creates, createsPerSecond, getsPerSecond: 1_500, p50: 0.2, p99: 1, p999: 3 },
  });
  const near = figures([20], { reads: [reads('full', 1_000), reads('half', 480)] });
  const far = figures([20], { reads: [reads('full', 1_000), reads('half', 300)] });
  assert.equal(verdict(near, /^… while they run at half load/), true);
  assert.equal(verdict(far, /^… while they run at half load/), undefined);
  assert.match(report(far, []), /\| half \| – \|/);
});

test('a chart draws every bar to scale, and tells its values to those who cannot see it', () => {
  const bars: readonly Bar[] = [
    { label: 'a & b', value: { median: 50, low: 40, high: 60 }, ours: false },
    { label: 'ours', value: { median: 100, low: 100, high: 100 }, ours: true },
  ];
  const picture = chart('CPU', 'µs', bars);
  const [first, second] = [...picture.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  assert.equal(Math.round(Number(second) / Number(first)), 2);
  assert.match(picture, /<desc id="desc">µs: a &amp; b 50\.0, ours 100<\/desc>/);
});
