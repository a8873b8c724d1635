/** Generates what follows from openapi.yaml and the tables in code; `--check` only says what has drifted. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { parse } from 'yaml';
import { optionsTable } from '../src/cli/help.ts';
import { serveOptions } from '../src/cli/options.ts';
import { catalogue } from '../src/errors.ts';
import { generateContract } from './contract/generate-contract.ts';
import { servedForms } from './contract/served.ts';

const check = process.argv.includes('--check');

/** Code as the formatter has it, by this repository's settings wherever this runs. */
function formatted(code: string): string {
  const house = fileURLToPath(new URL('..', import.meta.url));
  const biome = `${house}node_modules/@biomejs/biome/bin/biome`;
  const options = ['format', `--config-path=${house}`, '--stdin-file-path=contract.ts'];
  return execFileSync(process.execPath, [biome, ...options], { input: code, encoding: 'utf8' });
}

/** What follows from one description: `folder`/`name`.generated.ts, and the forms in which it is served. */
function contractFiles(description: string, folder: string, name: string): Record<string, string> {
  const document = parse(readFileSync(description, 'utf8'), { intAsBigInt: true });
  const code = generateContract({ file: description, document, imports: '.' });
  const { json, yaml, json30 } = servedForms(document);
  return {
    [`${folder}/${name}.generated.ts`]: formatted(code),
    [`${folder}/${name}.served.json`]: json,
    [`${folder}/${name}.served.yaml`]: yaml,
    [`${folder}/${name}.served-3.0.json`]: json30,
  };
}

/** The catalogue of errors as a Markdown table. */
function errorsTable(): string {
  const rows = Object.entries(catalogue).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return ['| error | when |', '| --- | --- |', ...rows].join('\n');
}

/** A text with the part between `<!-- name: … -->` and `<!-- /name -->` made anew. */
function section(text: string, name: string, content: string): string {
  const part = new RegExp(`(<!-- ${name}:[^>]*-->\n)[^]*?(<!-- /${name} -->)`);
  if (!part.test(text)) throw new Error(`there is no section ${name}`);
  return text.replace(part, (_all, begin, end) => `${begin}\n${content}\n\n${end}`);
}

/** docs/options.md: the options of serve, in the page's own text. */
function optionsPage(): string {
  return section(readFileSync('docs/options.md', 'utf8'), 'options', optionsTable(serveOptions));
}

/** docs/errors.md: the catalogue, for the guide. */
function errorsPage(): string {
  return `# Errors

<!-- Made by npm run generate from src/errors.ts; not to be edited. -->

Every failure, at every status and path, is answered in one shape:

\`\`\`json
{ "error": 40009, "message": "id 12 is already taken by a different plant." }
\`\`\`

\`error\` is the HTTP status followed by two digits: let programs decide by it. \`message\` is for people: it names every field
that is wrong and says what would be right. Its words may change.

${errorsTable()}

A request is checked in this order: well-formed HTTP, path, method, credential, scope, rate, parameters, body, and last against what is
stored (40401, 41200, 40009). If it has several faults, the answer names the first.
`;
}

/** The pages of the guide in their order and groups, each a Markdown file under docs. */
const GUIDE = {
  Start: ['guide/first-request', 'guide/running-it', 'guide/credentials'],
  Topics: [
    'errors',
    'guide/why-200-and-400',
    'guide/paging',
    'guide/conditional-requests',
    'guide/safe-retries',
    'guide/clients',
    'guide/testing',
    'guide/limits',
  ],
  Lessons: [
    'guide/lesson-1-first-request',
    'guide/lesson-2-reading-a-description',
    'guide/lesson-3-errors-that-help',
    'guide/lesson-4-safe-retries',
    'guide/lesson-5-paging-and-lost-updates',
    'guide/lesson-6-generating-a-client',
  ],
};

function guide(): string {
  const pages = Object.entries(GUIDE).flatMap(([group, paths]) => paths.map((path) => guidePage(group, path)));
  return `${JSON.stringify(pages, null, 2)}\n`;
}

function guidePage(group: string, path: string) {
  const markdown = path === 'errors' ? errorsPage() : readFileSync(`docs/${path}.md`, 'utf8');
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  const html = marked.parse(markdown.replaceAll(/<!--.*-->\n/g, ''), { async: false });
  const slug = path.split('/').at(-1);
  const served = html
    // In the repository a link names a file; here the pages are beside each other.
    .replaceAll(/href="(?:[\w./-]+\/)?([\w-]+)\.md(?=["#])/g, 'href="$1')
    // Wide tables and examples scroll by themselves, so that the page does not: by the keyboard too.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { group, slug, title, html: served };
}

const files: Record<string, string> = {
  ...contractFiles('openapi.yaml', 'src/contract', 'openapi'),
  'docs/options.md': optionsPage(),
  'docs/errors.md': errorsPage(),
  'src/docs/guide.gen.json': guide(),
};
let drifted = false;
for (const [path, content] of Object.entries(files)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  drifted = true;
  if (check) console.error(`${path} has drifted: run npm run generate`);
  else writeFileSync(path, content);
}
if (check && drifted) process.exitCode = 1;
