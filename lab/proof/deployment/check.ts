/** Checks the files of deploy/ with the programs that read them. The image is built only without --short. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDirectory } from '../../../test/harness/directory.ts';
import { versionsOf } from '../debian.ts';
import { createViolations, runCheck, say } from '../outcome.ts';
import { ROOT } from '../record.ts';

const HERE = import.meta.dirname;
const REQUIREMENTS = join(HERE, 'requirements.txt');
const CACHE = join(ROOT, 'node_modules/.cache/plant-store-proof');
const PYTHON = join(CACHE, 'kubernetes/bin');
/** The loader of Docker Compose. */
const COMPOSE = 'v2.16.2';
/** The first is the oldest that docs/operating.md names. */
const KUBERNETES = ['1.30', '1.33', '1.37'];
/** The highest exposure that systemd-analyze may find, times 10. */
const EXPOSURE = 20;

const FILES = {
  compose: 'docker/compose.yaml',
  manifest: 'kubernetes/plant-store.yaml',
  unit: 'systemd/plantstore.service',
  alerts: 'prometheus/alerts.yaml',
  prometheus: 'prometheus/prometheus.yaml',
} as const;
type File = keyof typeof FILES;

/** What a control replaces in a file. */
const CONTROLS: Readonly<Record<string, readonly [file: File, text: RegExp, by: string]>> = {
  'compose-misspelt': ['compose', /read_only/, 'readonly'],
  'manifest-misspelt': ['manifest', /readinessProbe/, 'readyProbe'],
  'unit-misspelt': ['unit', /TimeoutStopSec/, 'TimeoutStopSeconds'],
  'unit-unconfined': ['unit', /^(Protect|Private|Restrict|CapabilityB|SystemCallF).*$/gm, ''],
  'alert-changed': ['alerts', /> 0\.25/, '> 25'],
};

type At = (file: File) => string;
type Command = readonly [program: string, ...args: string[]];

await runCheck(async ({ short, control }) => {
  if (!existsSync(join(CACHE, 'compose/cmd'))) install();
  using directory = createDirectory();
  const at: At = (file) => directory.at(FILES[file]);
  for (const [name, path] of Object.entries(FILES)) {
    const [file, text, by] = CONTROLS[control ?? ''] ?? [];
    const content = readFileSync(join(ROOT, 'deploy', path), 'utf8');
    mkdirSync(dirname(directory.at(path)), { recursive: true });
    writeFileSync(directory.at(path), name === file && text !== undefined ? content.replace(text, by ?? '') : content);
  }
  const { add, result } = createViolations();
  // A control needs only the programs that read the file that it changed.
  const commands = commandsOf(at).filter(([file]) => control === undefined || file === CONTROLS[control]?.[0]);
  for (const [, command] of commands) {
    const said = complaint(command);
    if (said !== undefined) add(said);
  }
  const alerts = control === undefined ? testWithoutEachAlert(at('alerts'), add) : 0;
  const images = short ? 0 : testImage(add);
  return {
    counts: { 'checks of files': commands.length, 'removed alerts': alerts, 'tests of the image': images },
    versions: {
      'compose-go': COMPOSE,
      'kubernetes-validate': /^kubernetes-validate==(.*)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? '',
      ...versionsOf('prometheus', 'systemd', ...(short ? [] : ['buildah'])),
    },
    ...result(),
  };
});

function install(): void {
  mkdirSync(CACHE, { recursive: true });
  execFileSync('python3', ['-m', 'venv', dirname(PYTHON)]);
  execFileSync(join(PYTHON, 'pip'), ['install', '--quiet', '-r', REQUIREMENTS], { stdio: 'inherit' });
  const env = { ...process.env, GOBIN: join(CACHE, 'compose') };
  execFileSync('go', ['install', `github.com/compose-spec/compose-go/v2/cmd@${COMPOSE}`], { env, stdio: 'inherit' });
}

/** The programs, each after the file that it reads. */
function commandsOf(at: At): readonly (readonly [File, Command])[] {
  const unit = readFileSync(at('unit'), 'utf8');
  // The check needs an existing program.
  writeFileSync(at('unit'), unit.replace('/usr/local/bin/plantstore', '/bin/sh'));
  const kubernetes = (version: string): Command => [
    join(PYTHON, 'kubernetes-validate'),
    ...['--strict', '--quiet', '-k', version, at('manifest')],
  ];
  return [
    ['compose', [join(CACHE, 'compose/cmd'), '-no-interpolation', at('compose')]],
    ...KUBERNETES.map((version): readonly [File, Command] => ['manifest', kubernetes(version)]),
    ['unit', ['systemd-analyze', 'verify', '--man=no', at('unit')]],
    ['unit', ['systemd-analyze', 'security', '--offline=yes', '--no-pager', `--threshold=${EXPOSURE}`, at('unit')]],
    ['prometheus', ['promtool', 'check', 'config', at('prometheus')]],
    ['alerts', testOfAlerts(at('alerts'))],
  ];
}

/** The tests of the alerts, beside the file with the alerts. */
function testOfAlerts(alerts: string): Command {
  const tests = join(dirname(alerts), 'alerts.test.yaml');
  writeFileSync(tests, readFileSync(join(HERE, 'alerts.test.yaml')));
  return ['promtool', 'test', 'rules', tests];
}

/**
 * What a program says about a file that it does not accept. systemd reports unknown settings only on standard error.
 */
function complaint([program, ...args]: Command): string | undefined {
  say(`${program} ${args.join(' ')}`);
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  const isAccepted = status === 0 && (program !== 'systemd-analyze' || stderr === '');
  return isAccepted ? undefined : `${program}: ${(stderr.trim() || stdout.trim()).slice(-500)}`;
}

/** Tests the alerts once without each of them. Returns their number. */
function testWithoutEachAlert(path: string, add: (violation: string) => void): number {
  const [head = '', ...rules] = readFileSync(path, 'utf8').split(/^(?= +- alert: )/m);
  for (const [index, rule] of rules.entries()) {
    writeFileSync(path, head + rules.toSpliced(index, 1).join(''));
    if (complaint(testOfAlerts(path)) === undefined) add(`no test notices that this alert is missing: ${rule}`);
  }
  return rules.length;
}

/** Builds the image and tests it. Returns the number of tests. */
function testImage(add: (violation: string) => void): number {
  const { stdout } = spawnSync('npm', ['run', '-s', 'test:image'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const numberOf = (what: string) => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
  if (numberOf('tests') === 0) throw new Error(`the image was not built: ${stdout.slice(-1_000)}`);
  if (numberOf('pass') < numberOf('tests')) add(stdout.slice(stdout.indexOf('✖ failing tests')).slice(0, 1_000));
  return numberOf('tests');
}
