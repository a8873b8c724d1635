/** The files that are made from the descriptions and schemas in `contract`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientTypes } from './client-types.ts';
import { DESCRIPTIONS, folderOf, unreleasedCopies } from './descriptions.ts';
import { generateContract } from './generate-contract.ts';
import { generateHandlers } from './generate-handlers.ts';
import { generateJsonSchema } from './generate-json-schema.ts';
import { generateValidator } from './generate-validator.ts';
import { readDescription } from './read-description.ts';
import { servedForm, servedForm30 } from './served.ts';

/** Returns the texts of the files by their paths. */
export function contractFiles(): Readonly<Record<string, string>> {
  const plants = readDescription('contract/openapi.yaml');
  return {
    ...Object.assign({}, ...DESCRIPTIONS.map(filesOf)),
    ...unreleasedCopies(),
    'src/operations/handlers.generated.ts': format(generateHandlers('contract/openapi.yaml', plants)),
    'src/contract/openapi.served-3.0.json': servedForm30(plants),
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
  };
}

/** The files of one description: its generated code and the served JSON. */
function filesOf(description: (typeof DESCRIPTIONS)[number]): Readonly<Record<string, string>> {
  const { path, name } = description;
  const folder = folderOf(description);
  const document = readDescription(path);
  const code = generateContract({ file: path, document, imports: relative(folder, 'src/contract') || '.' });
  return {
    [`${folder}/${name}.generated.ts`]: format(code),
    [`${folder}/${name}.served.json`]: servedForm(document),
  };
}

/** Formats code by the settings of this repository, from any working directory. */
function format(code: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const biome = `${root}node_modules/@biomejs/biome/bin/biome`;
  const options = ['format', `--config-path=${root}`, '--stdin-file-path=contract.ts'];
  return execFileSync(process.execPath, [biome, ...options], { input: code, encoding: 'utf8' });
}
