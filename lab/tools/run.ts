/**
 * Runs other people's tools against the service.
 *
 *   npm run tools              runs all of them and makes docs/tools.md
 *   npm run tools -- NAME…     runs only some
 *   npm run tools -- --ci      runs those that CI runs
 *
 * Exits with 1 if a tool failed.
 *
 * A tool is a folder SECTION/NAME with `row.json` (a Row of rows.ts) and the script `run`. The script is called once
 * for each stage, in order, with the stage as its argument. Its working directory is a folder that is emptied before
 * the first stage. Each tool gets a new service with an empty store. The environment of `run`:
 *
 *   URL, TOKEN                      the service, and a token that may read and write
 *   DATABASE                        the service's database, for `plantstore token create`
 *   OPENAPI_YAML, OPENAPI_JSON      the served description, as files
 *   OPENAPI_3_0                     its rendition in OpenAPI 3.0.3
 *   HERE, ROOT                      the folders of the tool and of the repository
 *   VERSION                         the tool's version, from its row
 *   CACHE                           a folder for this tool that is kept from run to run
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choose, readCommandLine } from '../../scripts/command-line.ts';
import { table } from '../../scripts/markdown.ts';
import { generateToken } from '../../src/auth/token.ts';
import { type Row, SECTIONS, type Section, STAGES, type Stage } from './rows.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/tools.md');
const WORK = join(tmpdir(), 'plant-store-tools');
const CACHE = join(tmpdir(), 'plant-store-tools-cache');
/** The longest that one stage of one tool may take. */
const STAGE_MS = 15 * 60_000;

interface Tool extends Row {
  readonly section: Section;
  readonly name: string;
}

type Results = Partial<Record<Stage, 'yes' | 'partly' | 'no' | 'missing'>>;

function findTools(): readonly Tool[] {
  return (Object.keys(SECTIONS) as Section[]).flatMap((section) => {
    const folder = join(ROOT, 'lab/tools', section);
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'row.json')))
      .map(({ name }) => {
        const row = JSON.parse(readFileSync(join(folder, name, 'row.json'), 'utf8')) as Row;
        return { ...row, section, name };
      })
      .sort((a, b) => a.language.localeCompare(b.language) || a.tool.localeCompare(b.tool));
  });
}

/** Returns the entries of `needs` that are missing. If run as root, it first tries to install their packages. */
function findMissing({ needs = {} }: Tool): readonly string[] {
  const isThere = (what: string) =>
    what.startsWith('/') ? existsSync(what) : spawnSync('sh', ['-c', `command -v ${what}`]).status === 0;
  const absent = Object.keys(needs).filter((what) => !isThere(what));
  if (absent.length === 0 || process.getuid?.() !== 0) return absent;
  const packages = absent.map((what) => needs[what] ?? what);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { env });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
  return absent.filter((what) => !isThere(what));
}

async function startService(folder: string, options: readonly string[]) {
  const token = generateToken();
  const database = `sqlite:${join(folder, 'plants.db')}`;
  const args = ['serve', '--port', '0', '--database', database, ...options];
  const child = spawn(join(ROOT, 'bin/plantstore'), args, {
    env: { ...process.env, PLANTSTORE_TOKEN: token },
    stdio: ['ignore', 'pipe', openSync(join(folder, 'service.log'), 'w')],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      const [address] = /http:\/\/[\w.:]+/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(readFileSync(join(folder, 'service.log'), 'utf8'))));
  });
  return { child, url, token, database };
}

async function tryTool(tool: Tool): Promise<Results> {
  const missing = findMissing(tool);
  const [first] = tool.stages;
  if (missing.length > 0 && first !== undefined) {
    console.log(`${tool.name}: not tried, because ${missing.join(', ')} is missing`);
    return { [first]: 'missing' };
  }
  const folder = join(WORK, tool.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'work'), { recursive: true });
  const { child, url, token, database } = await startService(folder, tool.serve ?? []);
  const files = { OPENAPI_YAML: 'openapi.yaml', OPENAPI_JSON: 'openapi.json', OPENAPI_3_0: 'openapi-3.0.json' };
  const here = join(ROOT, 'lab/tools', tool.section, tool.name);
  const cache = join(CACHE, tool.name);
  mkdirSync(cache, { recursive: true });
  const env: NodeJS.ProcessEnv = { ...process.env, URL: url, TOKEN: token, HERE: here, ROOT, CACHE: cache };
  env['VERSION'] = tool.version;
  env['DATABASE'] = database;
  for (const [variable, name] of Object.entries(files)) {
    const response = await fetch(`${url}/${name}`);
    writeFileSync(join(folder, name), await response.text());
    env[variable] = join(folder, name);
  }
  const results: Results = {};
  try {
    for (const stage of STAGES.filter((each) => tool.stages.includes(each))) {
      const log = join(folder, `${stage}.log`);
      const output = openSync(log, 'w');
      const options = { cwd: join(folder, 'work'), env, stdio: ['ignore', output, output] as const, timeout: STAGE_MS };
      const run = spawn(join(here, 'run'), [stage], { ...options, stdio: [...options.stdio] });
      const [code] = await once(run, 'close');
      const isWrong = stage === 'agrees' && tool.outcomes !== undefined;
      const isLimited = isWrong || tool.limits?.some((limit) => limit.stage === stage);
      results[stage] = code !== 0 ? 'no' : isLimited ? 'partly' : 'yes';
      console.log(`${tool.name}: ${stage} ${results[stage]}`);
      if (code === 0) continue;
      console.log(readFileSync(log, 'utf8').split('\n').slice(-40).join('\n'));
      break;
    }
  } finally {
    child.kill();
    await once(child, 'close');
  }
  return results;
}

/** Breaks an item of a list into lines of at most 120 characters. */
const wrapped = (text: string) => text.replaceAll(/(?![^\n]{1,118}$)([^\n]{1,118}) /g, '$1\n  ');

function describe(tools: readonly Tool[], all: ReadonlyMap<Tool, Results>): string {
  const sections = Object.entries(SECTIONS).map(([section, title]) => {
    const rows = tools.filter((tool) => tool.section === section);
    const stages = STAGES.filter((stage) => rows.some((row) => row.stages.includes(stage)));
    const notes: string[] = [];
    const lines = rows.map((tool) => {
      const results = all.get(tool) ?? {};
      const cells = stages.map((stage) => {
        const result = tool.stages.includes(stage) ? (results[stage] ?? '') : '–';
        return result === 'missing' ? `needs ${Object.values(tool.needs ?? {}).join(', ')}` : result;
      });
      for (const { stage, text, link } of tool.limits ?? []) {
        notes.push(wrapped(`- **${tool.tool}** (${stage}): ${text}${link === undefined ? '' : ` [Issue](${link}).`}`));
      }
      if (tool.outcomes !== undefined) {
        const wrong = Object.entries(tool.outcomes).map(([outcome, scenarios]) => {
          return `*${outcome}* in ${scenarios.map((scenario) => `\`${scenario}\``).join(', ')}`;
        });
        const shown = tool.source === undefined ? '' : `As [its documentation](${tool.source}) shows it: `;
        notes.push(wrapped(`- **${tool.tool}** (agrees): ${shown}${wrong.join('; ')}.`));
      }
      return [tool.language, tool.tool, tool.version, ...cells, `\`${tool.command}\``];
    });
    const head = ['Language', 'Tool', 'Version', ...stages, 'Command'];
    return [`## ${title}\n`, table(head, lines), ...(notes.length === 0 ? [] : ['\nKnown limits:\n', ...notes])].join(
      '\n',
    );
  });
  return `${readFileSync(join(ROOT, 'lab/tools/page.md'), 'utf8').trim()}\n\n${sections.join('\n\n')}\n`;
}

const { values, positionals } = readCommandLine(import.meta.filename, {
  options: { ci: { type: 'boolean' } },
  allowPositionals: true,
});
const tools = findTools();
const asked = values.ci ? tools.filter(({ ci }) => ci) : choose(tools, positionals);
const results = new Map<Tool, Results>();
for (const tool of asked) results.set(tool, await tryTool(tool));
if (asked.length === tools.length) writeFileSync(PAGE, describe(tools, results));
const passed = [...results.values()].filter((result) =>
  Object.values(result).every((each) => each === 'yes' || each === 'partly'),
).length;
console.log(`${passed} passed, ${asked.length - passed} failed`);
process.exitCode = passed === asked.length ? 0 : 1;
