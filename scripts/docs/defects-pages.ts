/** The pages of the planted defects: docs/defects.md lists all of them, and each tier has a page of its own. */
import { DEFECTS, type Defect, defectsOf, type Tier, variantsOf } from '../../lab/defects/index.ts';
import { wrapped } from '../markdown.ts';
import { WFC_CATEGORIES } from './wfc.ts';

const MADE = '<!-- Made by npm run generate from lab/defects; not to be edited. -->';

const TIERS: Readonly<Record<Tier, string>> = {
  schema: 'A response differs from the description. A tester has to compare the status, header fields and body.',
  input: 'The service accepts wrong input or refuses valid input. A tester has to try both sides of each schema limit.',
  credentials:
    'A request without the right credential is not refused as it should be. ' +
    'A tester has to send requests without a credential, and with the additional tokens that the grader sets.',
  state: 'The service stores or returns something other than what was written. A tester has to remember what it wrote.',
  protocol: 'The service breaks a rule of HTTP. A tester has to know the rules that are the same for every API.',
};

interface Chapter {
  readonly name: string;
  readonly about: string;
  readonly defects: readonly Defect[];
}

function chapters(): readonly Chapter[] {
  const sandboxes = defectsOf('sandboxes');
  const events = defectsOf('events');
  return [
    ...(Object.keys(TIERS) as Tier[]).map((tier) => ({
      name: tier,
      about: TIERS[tier],
      defects: DEFECTS.filter((defect) => defect.tier === tier),
    })),
    {
      name: 'sandboxes',
      about:
        `These ${sandboxes.length} defects are in the [sandboxes' API](guide/sandboxes.md) and break rules of ` +
        '`sandbox.yaml`. They need `--sandboxes` or `--demo`, and have no variants. The token in the commands is the ' +
        'token of an empty sandbox.',
      defects: sandboxes,
    },
    {
      name: 'events',
      about:
        `These ${events.length} defects are in the [feed of events](guide/following-changes.md) and break rules of ` +
        '`events.yaml`. They need `--events` or `--demo`. All of them are of the tier `state`.',
      defects: events,
    },
  ];
}

/** The texts of the pages by their paths. */
export function defectsPages(): Readonly<Record<string, string>> {
  const pages = chapters().map((chapter, i) => [`docs/defects-${chapter.name}.md`, chapterPage(chapter, i)] as const);
  return { 'docs/defects.md': listPage(), ...Object.fromEntries(pages) };
}

function listPage(): string {
  const lists = chapters().map(({ name, defects }) => {
    const link = (defect: string) => `[${defect}](defects-${name}.md#${defect})`;
    const items = defects.map((defect) => wrap(`- ${link(defect.name)}: ${asText(defect.does)}`, '  '));
    return [`### [${name}](defects-${name}.md)`, items.join('\n')].join('\n\n');
  });
  return `# Planted defects

<!-- guide: Grade 40 -->
${MADE}

\`plantstore serve --defect NAME\` runs a service that is wrong in one known way. \`plantstore grade\` runs an API
tester against each of these services. \`plantstore defects --json\` prints this list for programs.

## The list

The first five pages are the [tiers](grade.md#tiers) of the Plant Store. The last two are about the API of the
sandboxes and the feed of events.

${lists.join('\n\n')}

## Variants

These are the published defects. A tool or a model can be tuned for a published list, so most defects have variants. A
variant is the same kind of deviation at another operation, member, status or limit. \`--variants SEED\` draws one
variant of each defect that has variants, and never the published one. The others stay as published. The same seed
always draws the same variants. \`plantstore defects --variants SEED\` shows them.

## Catalogues

*WFC* is the fault category of [Web Fuzzing Commons](https://github.com/WebFuzzing/Commons). If several fit, the best is
first. Reports of API fuzzers contain its code. The codes are from webfuzzing-commons 0.12.1. Earlier versions have
other codes. *OWASP* is the risk in the
[API Security Top 10](https://owasp.org/API-Security/editions/2023/en/0x11-t10/) of 2023. *CWE* is the
[Common Weakness Enumeration](https://cwe.mitre.org). A defect has no line for a catalogue in which no entry fits.

The catalogue of WFC has no category for these defects, most of them in the tiers state and protocol:

${withoutCategory().join('\n')}
`;
}

function withoutCategory(): readonly string[] {
  return (Object.keys(TIERS) as Tier[]).flatMap((tier) => {
    const names = DEFECTS.filter((defect) => defect.tier === tier && defect.wfc.length === 0).map(({ name }) => name);
    return names.length === 0 ? [] : [wrap(`- **${tier}**: ${names.map((name) => `\`${name}\``).join(', ')}`, '  ')];
  });
}

function chapterPage({ name, about, defects }: Chapter, i: number): string {
  return `# Defects: ${name}

<!-- guide: Grade ${41 + i}, under defects -->
${MADE}

${wrapped(about)}

The command below each defect shows the defect on an empty store. [By hand](correct-a-score.md#look-at-one-defect), set
its variables first. *Clean service* is the response without the defect. [The list](defects.md#catalogues) explains the
catalogues.

${defects.map(partOf).join('\n\n')}
`;
}

function partOf(defect: Defect): string {
  return [
    `## ${defect.name}`,
    wrap(asText(defect.does)),
    linesOf(defect).join('\n'),
    `\`\`\`sh\n${inLines(defect.show)}\n\`\`\``,
  ].join('\n\n');
}

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

/** Markdown would show the text of an entity, such as `&amp;`, as its character. */
const asText = (text: string) => text.replaceAll(/&(?=\w+;)/g, '&amp;');

/** Breaks a text into lines. All lines but the first are indented, as in a list. */
const wrap = (text: string, indent = '') => text.replaceAll(/(.{1,116})(?: |$)/g, `$1\n${indent}`).trim();

const inLines = (commands: string) =>
  commands.replaceAll(/ (?=--next |-H 'Content-Type)/g, ' \\\n  ').replaceAll(/([;&]) (?=curl |last=)/g, '$1\n');
