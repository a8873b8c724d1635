/** Generates what follows from openapi.yaml and the tables in code; `--check` only says what has drifted. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';
import { documentText } from '../src/contract/document.ts';

const check = process.argv.includes('--check');
const yaml = readFileSync('openapi.yaml', 'utf8');
const BIGINT = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

/** The description as types; an int64 is a bigint, since a number cannot hold it. */
async function types(): Promise<string> {
  const ast = await openapiTS(yaml, {
    transform: (schema) => (schema.format === 'int64' ? BIGINT : undefined),
    defaultNonNullable: true,
  });
  return `// Generated from openapi.yaml by npm run generate; not to be edited.\n${astToString(ast)}`;
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
