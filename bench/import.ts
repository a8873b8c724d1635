/**
 * Measures an import of 1,000,000 plants, ids at random over int64: seconds, plants a second, most memory; then export,
 * backup and check, and that the export is the input.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { peakMemoryOf } from './process-tree.ts';

/** As it is started by users: with the flags of Node that it is shipped with. */
const PLANTSTORE = fileURLToPath(new URL('../bin/plantstore', import.meta.url));
const COUNT = Number(process.argv[2] ?? 1_000_000);
const TAGS = ['succulent', 'climber', 'fern', 'tree', 'herb'];

const directory = mkdtempSync(join(tmpdir(), 'plantstore-bench-'));
const input = join(directory, 'plants.ndjson');
const database = `sqlite:${join(directory, 'plants.db')}`;
try {
  await generate(input);
  const began = performance.now();
  const child = spawn(PLANTSTORE, ['import', input, '--database', database], { stdio: 'inherit' });
  const closed = once(child, 'close');
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMemoryOf(child.pid as number));
  }, 20);
  const [code] = await closed;
  clearInterval(timer);
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `exit ${code}, ${seconds.toFixed(2)} s, ${Math.round(COUNT / seconds)} plants/s, peak RSS ${Math.round(peak)} MB\n`,
  );
  const exported = join(directory, 'exported.ndjson');
  for (const command of [['export', exported], ['backup', join(directory, 'backup.db')], ['check']]) {
    const start = performance.now();
    execFileSync(PLANTSTORE, [...command, '--database', database], { stdio: 'inherit' });
    process.stdout.write(`${command[0]}: ${((performance.now() - start) / 1_000).toFixed(2)} s\n`);
  }
  const sorted = (path: string) => readFileSync(path, 'utf8').split('\n').sort().join('\n');
  process.stdout.write(`export equals input: ${sorted(input) === sorted(exported)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function generate(path: string): Promise<void> {
  const file = createWriteStream(path);
  for (let i = 0; i < COUNT; i++) {
    // An odd multiplier visits every int64 once, in an order that looks like chance.
    const id = BigInt.asIntN(64, BigInt(i) * 0x9e3779b97f4a7c15n);
    if (!file.write(`{"id":${id},"name":"Plant number ${i}","tag":"${TAGS[i % TAGS.length]}"}\n`)) {
      await once(file, 'drain');
    }
  }
  file.end();
  await once(file, 'finish');
}
