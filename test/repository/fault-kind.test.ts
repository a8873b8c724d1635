/** A kind of fault is one file, from which the description, the guide and the page's switches follow. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDirectory } from '../harness/directory.ts';
import { serveProcess } from '../harness/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A response in which the names of plants are in upper case. */
const SHOUT = `import { type FaultKind, integer } from '../fault-kind.ts';

export const shout: FaultKind<'times'> = {
  does: 'a plant whose name is in upper case, and ends with this many exclamation marks',
  example: { times: 2 },
  needs: { times: integer(1, 9, 'the number of exclamation marks') },
  pageSwitch: { label: 'Shout', rule: { fault: { kind: 'shout', times: 3 } } },
  result: ({ times }, result) => ({
    ...result,
    body: { ...(result.body as object), name: 'ALOE' + '!'.repeat(times) },
  }),
};
`;

test('a new kind of fault is one file', async () => {
  using place = createDirectory();
  const isOurs = (path: string) => !/node_modules|\/lab\/records\//.test(path);
  const files = ['.gitignore', 'README.md', 'biome.json', 'package.json', 'tsconfig.json'];
  for (const name of ['contract', 'docs', 'lab', 'scripts', 'src', ...files])
    cpSync(join(ROOT, name), place.at(name), { recursive: true, filter: isOurs });
  symlinkSync(join(ROOT, 'node_modules'), place.at('node_modules'));
  writeFileSync(place.at('src/features/sandbox/faults/kinds/shout.ts'), SHOUT);
  const made = spawnSync('npm', ['run', '-s', 'generate'], { cwd: place.path, encoding: 'utf8' });
  assert.equal(made.status, 0, made.stdout + made.stderr);

  const command = [process.execPath, place.at('src/main.ts')] as const;
  await using service = await serveProcess(['--demo'], {}, { command, cwd: place.path });
  // The test's own client would compare the responses with the description without the new kind.
  const headers = { Authorization: 'Bearer demo', 'Content-Type': 'application/json' };
  const send = async (method: string, target: string, fault?: string, body?: string) => {
    const more = { ...(fault !== undefined && { Fault: fault }) };
    const response = await fetch(service.url + target, {
      method,
      headers: { ...headers, ...more },
      body: body ?? null,
    });
    return response.text();
  };
  const rules = JSON.stringify([{ fault: { kind: 'shout', times: 1 }, match: { operation: 'getPlant' } }]);
  assert.equal(await send('PUT', '/sandbox/faults', undefined, rules), rules);
  assert.match(await send('GET', '/plants/1'), /"name":"ALOE!"/);
  assert.match(await send('GET', '/plants/1', 'shout;times=2'), /"name":"ALOE!!"/);
  assert.match(await send('GET', '/plants/1', 'shout'), /the kind shout needs times\. Examples: .+, shout;times=2, /);

  const { components } = (await (await fetch(`${service.url}/sandbox/openapi.json`)).json()) as {
    readonly components: { readonly schemas: { readonly Fault: { readonly properties: Record<string, object> } } };
  };
  const { kind, times } = components.schemas.Fault.properties;
  assert.match(JSON.stringify(kind), /"shout".+`shout`: a plant whose name is in upper case, /);
  const description = 'For the kind shout: the number of exclamation marks.';
  assert.deepEqual(times, { type: 'integer', format: 'int32', minimum: 1, maximum: 9, description });
  const guide = await (await fetch(`${service.url}/guide/faults`)).text();
  assert.match(guide, /\{&quot;kind&quot;: &quot;shout&quot;, &quot;times&quot;: 2\}/);
  assert.match(await (await fetch(service.url)).text(), /&quot;times&quot;:3\}\}"> Shout<\/label>/);
});
