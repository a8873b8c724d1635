/** The pages of docs/ that are made from the program itself: errors, options and commands. */
import { readFileSync } from 'node:fs';
import { PROGRAM } from '../../lab/program.ts';
import { type Command, type Options, variableOf } from '../../src/cli/command-line.ts';
import { commandHelp, overview, textOfFlag } from '../../src/cli/help.ts';
import { WIDTH } from '../../src/cli/output.ts';
import { commandsOf } from '../../src/cli/run-command.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { catalogue } from '../../src/features/index.ts';
import { errorExamples } from './error-examples.ts';

/** Replaces the part of a text between `<!-- name: … -->` and `<!-- /name -->`. */
function section(text: string, name: string, content: string): string {
  const part = new RegExp(`(<!-- ${name}:[^>]*-->\n)[^]*?(<!-- /${name} -->)`);
  if (!part.test(text)) throw new Error(`there is no section ${name}`);
  return text.replace(part, (_all, begin, end) => `${begin}\n${content}\n\n${end}`);
}

function optionsTable(options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const flag = option.secret ? '(environment only)' : `\`${textOfFlag(name, option)}\``;
    const variables = [variableOf(name), ...(option.platform === undefined ? [] : [option.platform])];
    const fallback = option.default === undefined ? '' : `\`${option.default}\``;
    return `| ${flag} | ${variables.map((variable) => `\`${variable}\``).join(', ')} | ${fallback} | ${option.help} |`;
  });
  return ['| flag | environment | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * docs/commands.md: the help of every command, in the width without a terminal, within the text of the page. The table
 * of the options of `serve` also has their environment variables.
 */
export function commandsPage(): string {
  const shown = (call: string, text: string) => `\`\`\`console\n$ ${call}\n${text.trimEnd()}\n\`\`\``;
  const chapters = commandsOf(PROGRAM).map((command: Command) => {
    if (command.name === 'serve') return ['## serve', optionsTable(serveOptionsWith(PROGRAM.features))].join('\n\n');
    // `grade` is short for `grade tester`, and the page begins with the rule of the last paragraph.
    if (command.name === 'grade') return '## grade\n\nShort for [grade tester](#grade-tester), with the same options.';
    const help = commandHelp(command, WIDTH).replace(/\nOptions can also.*$/s, '');
    return [`## ${command.name}`, shown(`plantstore help ${command.name}`, help)].join('\n\n');
  });
  const list = shown('plantstore help', overview(commandsOf(PROGRAM), [], WIDTH) ?? '');
  return section(readFileSync('docs/commands.md', 'utf8'), 'commands', [list, ...chapters].join('\n\n'));
}

/** docs/errors.md: the catalogue, and each of its errors as it is sent, for the guide too. */
export async function errorsPage(): Promise<string> {
  const rows = Object.entries(catalogue).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  const table = ['| error | when |', '| --- | --- |', ...rows].join('\n');
  const http = (text: string) => `\`\`\`http\n${text}\n\`\`\``;
  const examples = [...(await errorExamples())].map(([code, { request, response }]) =>
    [`### ${code}`, http(request), http(response)].join('\n\n'),
  );
  return `# Errors

<!-- guide: Use the API 10 -->
<!-- Made by npm run generate from src/errors.ts and a running service; not to be edited. -->

Every error, at every status and path, has one shape:

\`\`\`json
{ "error": 40009, "message": "id 12 is already taken by a different plant." }
\`\`\`

\`error\` is the HTTP status followed by two digits. Programs should decide by this number. \`message\` is for people:
it names every field that is wrong and explains what would be right. Its text may change.

${table}

## The order of checks

The service checks a request in this order: well-formed HTTP, path, method, credential, scope, rate limit, parameters,
body. Last, it compares the request with what is stored (40401, 41200, 40009). If several things are wrong, the response
names the first.

## An example of each

These examples show what the service sends, with the header fields that belong to the error. If a request below
shows no token, it was sent with a valid token. Plant 12 is stored.

${examples.join('\n\n')}
`;
}
