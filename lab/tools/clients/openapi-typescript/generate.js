/** Types an int64 as bigint. The command line of openapi-typescript has no option for this. */
import { writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';
import typescript from 'typescript';

const [description, file] = process.argv.slice(2);
const bigint = typescript.factory.createKeywordTypeNode(typescript.SyntaxKind.BigIntKeyword);
const transform = ({ format }) => (format === 'int64' ? bigint : undefined);

writeFileSync(file, astToString(await openapiTypescript(new URL(description), { transform })));
