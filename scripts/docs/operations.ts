/** The lists of the store's operations in the README and in the lessons, made from the description. */
import { readFileSync } from 'node:fs';
import { readDescription } from '../contract/read-description.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: unknown;
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

interface Listed extends Operation {
  /** Method and path. */
  readonly request: string;
}

const LESSONS = {
  description: 'docs/guide/lesson-2-reading-a-description.md',
  client: 'docs/guide/lesson-6-generating-a-client.md',
};

/** Resolves to the texts of the pages by their paths. */
export function pagesWithOperations(): Readonly<Record<string, string>> {
  const operations = operationsOf(readDescription('contract/openapi.yaml'));
  const statuses = operations.map(
    ({ operationId, request, responses }) => `${operationId}: ${request} -> ${Object.keys(responses).join(' ')}`,
  );
  const scopes = operations.map(({ operationId, security }) => `${operationId} ${JSON.stringify(security)}`);
  const names = operations.map(({ operationId }) => operationId).join(', ');
  return {
    'README.md': replace('README.md', [/^\| request .*\n\| -.*\n(?:\| .*\n)+/m, table(operations)]),
    [LESSONS.description]: replace(
      LESSONS.description,
      [/^(?:\w+: [A-Z]+ \/\S* -> .*\n)+/m, lines(statuses)],
      [/^(?:\w+ \[\{.*\n)+/m, lines(scopes)],
    ),
    [LESSONS.client]: replace(LESSONS.client, [
      /^export const \{ listPlants, .* \} = client;\n/m,
      lines([clientOf(names)]),
    ]),
  };
}

const clientOf = (names: string) => `export const { ${names} } = client;`;
const lines = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');

function operationsOf(document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]): Listed => ({ ...operation, request: `${method.toUpperCase()} ${path}` })),
  );
}

function table(operations: readonly Listed[]): string {
  const rows = operations.map(({ request, summary, responses }) => {
    const successes = Object.entries(responses).filter(([status]) => !/^[45]/.test(status));
    const cells = successes.map(([status, { description = '' }]) => `${status}: ${description.trim()}`);
    return `| \`${request}\` | ${summary} | ${cells.join('<br>')} |`;
  });
  return lines(['| request | what it does | response |', '| --- | --- | --- |', ...rows]);
}

function replace(path: string, ...parts: readonly (readonly [pattern: RegExp, text: string])[]): string {
  return parts.reduce(
    (page, [pattern, text]) => {
      if (!pattern.test(page)) throw new Error(`${path} has no list that looks like ${pattern}`);
      return page.replace(pattern, () => text);
    },
    readFileSync(path, 'utf8'),
  );
}
