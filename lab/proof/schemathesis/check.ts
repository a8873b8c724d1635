/** Runs Schemathesis, as docs/testers configures it, against new services. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createDirectory } from '../../../test/harness/directory.ts';
import { serveProcess } from '../../../test/harness/process.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { ROOT } from '../record.ts';

const SEEDS = 10;
const PYTHON = join(ROOT, 'node_modules/.cache/plant-store-proof/schemathesis');
const REQUIREMENTS = join(ROOT, 'lab/tools/testers/schemathesis/requirements.txt');
const TESTERS = join(ROOT, 'docs/testers');

await runCheck(async ({ short, seed, control }) => {
  if (!existsSync(join(PYTHON, 'bin/schemathesis'))) {
    execFileSync('python3', ['-m', 'venv', PYTHON]);
    execFileSync(join(PYTHON, 'bin/pip'), ['install', '--quiet', '-r', REQUIREMENTS], { stdio: 'inherit' });
  }
  const { add, result } = createViolations();
  const seeds = Array.from({ length: short ? 1 : SEEDS }, (_, i) => seed + i);
  let cases = 0;
  for (const one of seeds) {
    const { code, output } = await runOnce(one, control);
    const generated = Number(/^ +(\d+) generated/m.exec(output)?.[1] ?? 0);
    say(`seed ${one}: ${generated} cases, exit ${code}`);
    // Without cases, Schemathesis could not run.
    if (generated === 0) throw new Error(output);
    if (code !== 0) add(`seed ${one}: ${output.slice(output.indexOf('= FAILURES =')).slice(0, 1_000)}`);
    cases += generated;
  }
  const version = /^schemathesis==(.*)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? '';
  return { counts: { cases, seeds: seeds.length }, versions: { schemathesis: version }, ...result() };
});

async function runOnce(seed: number, defect: string | undefined): Promise<{ code: number | null; output: string }> {
  using directory = createDirectory();
  const options = ['--database', `sqlite:${directory.at('plants.db')}`];
  const service = await serveProcess([...options, ...(defect === undefined ? [] : ['--defect', defect])]);
  try {
    const child = spawn(
      join(PYTHON, 'bin/schemathesis'),
      [
        ...['--config-file', join(TESTERS, 'schemathesis.toml'), 'run', `${service.url}/openapi.yaml`],
        ...['--seed', String(seed), '--no-color'],
        // One failure is enough for a control.
        ...(defect === undefined ? [] : ['--max-failures', '1']),
      ],
      {
        cwd: directory.path,
        env: { ...process.env, TOKEN: service.token, PYTHONPATH: TESTERS },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { code, output };
  } finally {
    await service.stop('SIGTERM');
  }
}
