/**
 * Makes the list of the kinds of faults, their schema in sandbox.yaml and their table in the guide. Also makes the
 * schema of the operations that a rule can name.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { FaultKind, MemberSchema } from '../src/features/sandbox/faults/fault-kind.ts';
import { OTHER } from '../src/features/sandbox/faults/other-client.ts';
import { idsOf } from './contract/generate-handlers.ts';
import { readDescription } from './contract/read-description.ts';
import { table } from './markdown.ts';

const FOLDER = 'src/features/sandbox/faults/kinds';
/** The descriptions of the operations that a rule can name. */
const DESCRIPTIONS = ['contract/openapi.yaml', 'contract/events.yaml'];
const NOTE = 'Made by npm run generate; not to be edited.';
const END = 'End of the generated part.';

type Named = readonly [name: string, kind: FaultKind];

export async function faultKindFiles(): Promise<Record<string, string>> {
  const names = readdirSync(FOLDER).map((file) => file.replace(/\.ts$/, ''));
  const kinds = await Promise.all(names.sort().map(readKind));
  return {
    'src/features/sandbox/faults/fault-kinds.generated.ts': listOf(names),
    'contract/sandbox.yaml': withPart('contract/sandbox.yaml', '    # ', '', schemaOf(kinds) + operationSchema()),
    'docs/guide/faults.md': withPart('docs/guide/faults.md', '<!-- ', ' -->', tableOf(kinds)),
  };
}

async function readKind(name: string): Promise<Named> {
  const file: Readonly<Record<string, FaultKind>> = await import(`../${FOLDER}/${name}.ts`);
  const kind = file[name];
  if (kind === undefined) throw new Error(`${FOLDER}/${name}.ts must export the kind ${name}`);
  return [name, kind];
}

function listOf(names: readonly string[]): string {
  const imports = names.map((name) => `import { ${name} } from './kinds/${name}.ts';`);
  return `// Generated from ${FOLDER} by npm run generate. Do not edit.
import type { FaultKind } from './fault-kind.ts';
${imports.join('\n')}
import type { Fault } from '../sandbox.generated.ts';

export const KINDS: Readonly<Record<Fault['kind'], FaultKind>> = {
${names.map((name) => `  ${name},\n`).join('')}};
`;
}

/** Replaces the generated part of a file, between two comments. */
function withPart(path: string, before: string, after: string, part: string): string {
  const whole = readFileSync(path, 'utf8');
  const [start, end] = [`${before}${NOTE}${after}\n`, `${before}${END}${after}\n`];
  const [head, rest] = whole.split(start);
  const [, tail] = rest?.split(end) ?? [];
  if (head === undefined || tail === undefined) throw new Error(`${path} lacks the comments around its generated part`);
  return head + start + part + end + tail;
}

/** The schema Fault, with the members of all kinds. */
function schemaOf(kinds: readonly Named[]): string {
  const members = new Map<string, { readonly schema: object; readonly meanings: Map<string, string[]> }>();
  for (const [kind, { needs, allows }] of kinds) {
    for (const [name, { description, ...schema }] of Object.entries({ ...needs, ...allows })) {
      if (name === 'other') continue;
      const known = members.get(name) ?? { schema, meanings: new Map() };
      if (!isDeepStrictEqual(known.schema, schema)) {
        const others = namesOf([...known.meanings.values()].flat());
        const remedy = 'use the same schema, or another name';
        throw new Error(`${name} of ${kind} has another schema than in the ${others}: ${remedy}`);
      }
      known.meanings.set(description, [...(known.meanings.get(description) ?? []), kind]);
      members.set(name, known);
    }
  }
  // A folded text of YAML turns each empty line into the end of a line.
  const does = kinds.map(([name, kind]) => `\n\n- \`${name}\`: ${kind.does}.`).join('');
  const kind = { type: 'string', enum: kinds.map(([name]) => name), 'x-open-enum': true };
  const properties = [...members].map(([name, { schema, meanings }]) => {
    const texts = [...meanings].map(([text, names]) => `For the ${namesOf(names)}: ${text}.`);
    return propertyOf(name, { ...schema, description: texts.join(' ') });
  });
  return `    Fault:
      type: object
      additionalProperties: false
      description: The fault that happens.
      required: [kind]
      properties:
${propertyOf('kind', { ...kind, description: `The kind of fault. Later versions may add kinds.${does}` })}\
${properties.join('')}${propertyOf('other', OTHER)}`;
}

function operationSchema(): string {
  const ids = DESCRIPTIONS.flatMap((path) => idsOf(readDescription(path)));
  return `    FaultOperation:
      type: string
      enum: [${ids.join(', ')}]
      x-open-enum: true
      description: The operationId. listEvents exists only on a service with events. Later versions may add operations.
`;
}

function namesOf(kinds: readonly string[]): string {
  return `kind${kinds.length === 1 ? '' : 's'} ${new Intl.ListFormat('en-GB').format(kinds)}`;
}

function propertyOf(name: string, { description, ...schema }: MemberSchema): string {
  const rows = Object.entries(schema).map(
    ([key, value]) => `          ${key}: ${typeof value === 'object' ? `[${value.join(', ')}]` : value}\n`,
  );
  const lines = description
    .replaceAll(/(?![^\n]{1,108}$)([^\n]{1,108}) /gm, '$1\n')
    .replaceAll(/^(?=.)/gm, '            ');
  return `        ${name}:\n${rows.join('')}          description: >-\n${lines}\n`;
}

function tableOf(kinds: readonly Named[]): string {
  const rows = kinds.flatMap(([kind, { example, does, variations = [] }]) =>
    [[example, does] as const, ...variations].map(([members, text]) => [`\`${inLine({ kind, ...members })}\``, text]),
  );
  return `${table(['fault', 'what the client or the receiver gets'], rows)}\n`;
}

/** The JSON of an object in one line, with spaces between its members. */
function inLine(value: object): string {
  const [first, ...lines] = JSON.stringify(value, null, 1).split('\n');
  return (
    first +
    lines
      .map((line) => line.trim())
      .join(' ')
      .replace(/ \}$/, '}')
  );
}
