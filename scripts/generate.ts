/**
 * Generates files from openapi.yaml, sandbox.yaml, events.yaml and tables in the code. `--check`
 * only lists files that differ.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';
import { parse } from 'yaml';
import { proofPage } from '../lab/proof/page.ts';
import { findChecks, readRuns } from '../lab/proof/record.ts';
import { clientTypes } from './contract/client-types.ts';
import { generateContract } from './contract/generate-contract.ts';
import { generateJsonSchema } from './contract/generate-json-schema.ts';
import { generateValidator } from './contract/generate-validator.ts';
import { servedForm, servedForm30 } from './contract/served.ts';
import { commandsPage, defectsPage, errorsPage, optionsPage } from './docs/pages.ts';

const check = process.argv.includes('--check');

/** Formats code by the settings of this repository, from any working directory. */
function format(code: string): string {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const biome = `${root}node_modules/@biomejs/biome/bin/biome`;
  const options = ['format', `--config-path=${root}`, '--stdin-file-path=contract.ts'];
  return execFileSync(process.execPath, [biome, ...options], { input: code, encoding: 'utf8' });
}

/** Makes the files of one description: `folder`/`name`.generated.ts and the served JSON. */
function contractFiles(description: string, folder: string, name: string): Record<string, string> {
  const document = readDescription(description);
  const code = generateContract({ file: description, document, imports: relative(folder, 'src/contract') || '.' });
  return {
    [`${folder}/${name}.generated.ts`]: format(code),
    [`${folder}/${name}.served.json`]: servedForm(document),
  };
}

function readDescription(file: string) {
  return parse(readFileSync(file, 'utf8'), { intAsBigInt: true });
}

function versionFile(description: string): string {
  const { info } = parse(readFileSync(description, 'utf8')) as { readonly info: { readonly version: string } };
  const note = `// Generated from ${description} by npm run generate. Do not edit.`;
  return `${note}\nexport const version = '${info.version}';\n`;
}

/** The pages of the guide by group, in their order. Each is a Markdown file below docs. */
const GUIDE = {
  Start: ['guide/first-request', 'guide/running-it', 'guide/credentials'],
  Topics: [
    'errors',
    'guide/why-200-and-400',
    'guide/paging',
    'guide/conditional-requests',
    'guide/safe-retries',
    'guide/retries-that-lose-nothing',
    'guide/clients',
    'guide/testing',
    'guide/workflows',
    'guide/following-changes',
    'guide/sandboxes',
    'guide/public',
    'grade',
    'grade-client',
    'client-results',
    'manifest',
    'defects',
    'grade-results',
    'correct-a-score',
    'guide/limits',
  ],
  Lessons: [
    'guide/lesson-1-first-request',
    'guide/lesson-2-reading-a-description',
    'guide/lesson-3-errors-that-help',
    'guide/lesson-4-safe-retries',
    'guide/lesson-5-paging-and-lost-updates',
    'guide/lesson-6-generating-a-client',
    'guide/lesson-7-when-things-fail',
    'guide/lesson-8-following-changes',
    'guide/bug-hunt',
    'guide/teachers',
  ],
};

/** The pages of the guide that are generated. */
const generatedPages: Readonly<Record<string, string>> = { errors: await errorsPage(), defects: defectsPage() };

marked.use(gfmHeadingId());

function guide(): string {
  const pages = Object.entries(GUIDE).flatMap(([group, paths]) => paths.map((path) => guidePage(group, path)));
  return `${JSON.stringify(pages, null, 2)}\n`;
}

function guidePage(group: string, path: string) {
  const markdown = generatedPages[path] ?? readFileSync(`docs/${path}.md`, 'utf8');
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  const html = marked.parse(markdown.replaceAll(/<!--.*-->\n/g, ''), { async: false });
  const slug = path.split('/').at(-1);
  const served = html
    // In the repository a link leads to a file. In the guide all pages are in one folder.
    .replaceAll(/href="(?:[\w./-]+\/)?([\w-]+)\.md(?=["#])/g, 'href="$1')
    // Wide tables and examples scroll, also by keyboard, so that the page does not.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { group, slug, title, html: served };
}

const files: Record<string, string> = {
  ...contractFiles('contract/openapi.yaml', 'src/contract', 'openapi'),
  'src/contract/openapi.served-3.0.json': servedForm30(readDescription('contract/openapi.yaml')),
  ...contractFiles('contract/sandbox.yaml', 'src/features/sandbox', 'sandbox'),
  ...contractFiles('contract/events.yaml', 'src/features/events', 'events'),
  'src/features/sandbox/client-types.generated.ts': format(
    clientTypes('contract/sandbox.yaml', readDescription('contract/sandbox.yaml'), ['FaultRule', 'ReceivedRequest']),
  ),
  'lab/grade/manifest.generated.ts': format(
    generateJsonSchema({
      file: 'contract/manifest.schema.json',
      document: readDescription('contract/manifest.schema.json'),
      name: 'Manifest',
      imports: '../../src/contract',
    }),
  ),
  'lab/commands/grade-result.generated.ts': generateValidator(
    'contract/grade-result.schema.json',
    readFileSync('contract/grade-result.schema.json', 'utf8'),
  ),
  'src/util/version.generated.ts': versionFile('contract/openapi.yaml'),
  'docs/options.md': optionsPage(),
  'docs/commands.md': commandsPage(),
  ...Object.fromEntries(Object.entries(generatedPages).map(([path, text]) => [`docs/${path}.md`, text])),
  'src/page/guide.gen.json': guide(),
  'docs/proof.md': proofPage(findChecks(), readRuns()),
};
let drifted = false;
for (const [path, content] of Object.entries(files)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  drifted = true;
  if (check) console.error(`${path} has drifted: run npm run generate`);
  else writeFileSync(path, content);
}
if (check && drifted) process.exitCode = 1;
