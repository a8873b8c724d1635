/** Generates what follows from openapi.yaml and the tables in code; `--check` only says what has drifted. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';
import { documentText } from '../src/contract/document.ts';

const check = process.argv.includes('--check');
const yaml = readFileSync('openapi.yaml', 'utf8');
const BIGINT = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

/** The description as a handler sees it: an int64 is a bigint, and a parameter with a default is always there. */
async function types(): Promise<string> {
  const document = parse(yaml);
  visit(document, (node) => {
    if ('in' in node && (node['schema'] as Node | undefined)?.['default'] !== undefined) node['required'] = true;
  });
  const ast = await openapiTS(document, { transform: (schema) => (schema.format === 'int64' ? BIGINT : undefined) });
  return `// Generated from openapi.yaml by npm run generate; not to be edited.\n${astToString(ast)}`;
}

type Node = Record<string, unknown>;

function visit(value: unknown, act: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) act(value as Node);
  for (const item of Object.values(value)) visit(item, act);
}

const files: Record<string, string> = {
  'src/contract/openapi.gen.json': `${documentText(parse(yaml, { intAsBigInt: true }))}\n`,
  'src/contract/types.gen.ts': await types(),
};
let drifted = false;
for (const [path, content] of Object.entries(files)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  drifted = true;
  if (check) console.error(`${path} has drifted: run npm run generate`);
  else writeFileSync(path, content);
}
if (check && drifted) process.exitCode = 1;
