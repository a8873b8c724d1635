/** The pages of docs/ that are made from the program itself: errors, options, commands and defects. */
import { readFileSync } from 'node:fs';
import { DEFECTS, type Defect, defectsOf, type Tier, variantsOf } from '../../lab/defects/index.ts';
import { PROGRAM } from '../../lab/program.ts';
import { type Command, type Options, variableOf } from '../../src/cli/command-line.ts';
import { commandHelp, overview, textOfFlag } from '../../src/cli/help.ts';
import { WIDTH } from '../../src/cli/output.ts';
import { commandsOf } from '../../src/cli/run-command.ts';
import { serveOptionsWith } from '../../src/cli/serve.ts';
import { catalogue } from '../../src/features/index.ts';
import { wrapped } from '../markdown.ts';
import { errorExamples } from './error-examples.ts';
import { WFC_CATEGORIES } from './wfc.ts';

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

/** docs/options.md: the table of the options of `serve`, within the text of the page. */
export function optionsPage(): string {
  return section(readFileSync('docs/options.md', 'utf8'), 'options', optionsTable(serveOptionsWith(PROGRAM.features)));
}

/** docs/commands.md: the help of every command, in the width without a terminal. */
export function commandsPage(): string {
  const shown = (call: string, text: string) => `\`\`\`console\n$ ${call}\n${text.trimEnd()}\n\`\`\``;
  const helps = commandsOf(PROGRAM).map((command: Command) =>
    [`## ${command.name}`, shown(`plantstore help ${command.name}`, commandHelp(command, WIDTH))].join('\n\n'),
  );
  return `# Commands

<!-- Made by npm run generate from the commands themselves; not to be edited. -->

In a clone of the repository, write \`bin/plantstore\` instead of \`plantstore\`. With the npm package, write
\`npx plant-store\`.

${shown('plantstore help', overview(commandsOf(PROGRAM), [], WIDTH) ?? '')}

${helps.join('\n\n')}
`;
}

const TIERS: Readonly<Record<Tier, string>> = {
  schema: 'A response differs from the description. A tester has to compare the status, header fields and body.',
  input: 'The service accepts wrong input or refuses valid input. A tester has to try both sides of each schema limit.',
  credentials:
    'A request without the right credential is not refused as it should be. ' +
    'A tester has to send requests without a credential, and with the additional tokens that the grader sets.',
  state: 'The service stores or returns something other than what was written. A tester has to remember what it wrote.',
  protocol: 'The service breaks a rule of HTTP. A tester has to know the rules that are the same for every API.',
};

/** Breaks a text into lines. All lines but the first are indented, as in a list. */
const wrap = (text: string, indent = '') => text.replaceAll(/(.{1,116})(?: |$)/g, `$1\n${indent}`).trim();

function linesOf({ name, operation, breaks, ruleIn, clean, wfc, owasp, cwe }: Defect): readonly string[] {
  const [, ...variants] = variantsOf(name);
  return [
    `Operation: ${operation}`,
    `Violated rule: ${ruleIn === 'schema' ? `\`${breaks}\` in the description` : `“${breaks}”`}`,
    `Clean service: ${clean}`,
    ...(wfc.length === 0 ? [] : [`WFC: ${wfc.map((code) => `${code} ${WFC_CATEGORIES[code]}`).join(', ')}`]),
    ...(owasp === undefined ? [] : [`OWASP API Security Top 10: ${owasp}:2023`]),
    ...(cwe === undefined ? [] : [`CWE-${cwe}`]),
    ...(variants.length === 0 ? [] : [`Variants: ${variants.length}, such as “${variants.at(-1)?.does}”`]),
  ].map((line) => wrap(`- ${line}`, '  '));
}

/** docs/defects.md: every planted defect, by tier. */
export function defectsPage(): string {
  const inLines = (commands: string) =>
    commands.replaceAll(/ (?=--next |--json )/g, ' \\\n  ').replaceAll(/([;&]) (?=curl |last=)/g, '$1\n');
  const part = (defect: Defect) =>
    [
      `### ${defect.name}`,
      wrap(defect.does),
      linesOf(defect).join('\n'),
      `\`\`\`sh\n${inLines(defect.show)}\n\`\`\``,
    ].join('\n\n');
  const section = (tier: Tier) =>
    [`## ${tier}`, wrapped(TIERS[tier]), ...DEFECTS.filter((defect) => defect.tier === tier).map(part)].join('\n\n');
  const tiers = Object.keys(TIERS) as Tier[];
  const unnamed = tiers.flatMap((tier) => {
    const names = DEFECTS.filter((defect) => defect.tier === tier && defect.wfc.length === 0).map(({ name }) => name);
    return names.length === 0 ? [] : [wrap(`- **${tier}**: ${names.map((name) => `\`${name}\``).join(', ')}`, '  ')];
  });
  return `# Planted defects

<!-- guide: Grade 40 -->
<!-- Made by npm run generate from lab/defects; not to be edited. -->

\`plantstore serve --defect NAME\` runs a service that is wrong in one known way. \`plantstore grade\` runs an API
tester against each of these services. The command below each defect shows the defect on an empty store. [The
grader](grade-counts.md#what-the-tester-receives) sets the variables in the commands, and
[by hand](correct-a-score.md#look-at-one-defect) you set them yourself. *Clean service* shows what a service without
the defect responds to the same command. \`plantstore defects --json\` prints this list for programs.

## Variants

This page shows the published defects. A tool or a model can be tuned for a published list, so most defects have
variants. A variant is the same kind of deviation at another operation, member, status or limit. \`--variants SEED\`
draws one variant of each defect that has variants, and never the published one. The others stay as published. The same
seed always draws the same variants. \`plantstore defects --variants SEED\` shows them.

## Catalogues

*WFC* is the fault category of [Web Fuzzing Commons](https://github.com/WebFuzzing/Commons). If several fit, the best is
first. Reports of API fuzzers contain its code. The codes are from webfuzzing-commons 0.12.1. Earlier versions have
other codes. *OWASP* is the risk in the
[API Security Top 10](https://owasp.org/API-Security/editions/2023/en/0x11-t10/) of 2023. *CWE* is the
[Common Weakness Enumeration](https://cwe.mitre.org). A defect has no line for a catalogue in which no entry fits.

The catalogue of WFC has no category for these defects, most of them in the tiers state and protocol:

${unnamed.join('\n')}

${tiers.map(section).join('\n\n')}

## Sandboxes

These ${defectsOf('sandboxes').length} defects are in the [sandboxes' API](guide/sandboxes.md) \
and break rules of \`sandbox.yaml\`.
They need \`--sandboxes\` or \`--demo\`, and have no variants. The token in the commands is the token of an empty
sandbox.

${defectsOf('sandboxes').map(part).join('\n\n')}

## Events

These ${defectsOf('events').length} defects are in the [feed of events](guide/following-changes.md) \
and break rules of \`events.yaml\`. They need
\`--events\` or \`--demo\`. All of them are of the tier \`state\`.

${defectsOf('events').map(part).join('\n\n')}
`;
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
