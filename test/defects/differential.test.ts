/** Holds the count of every defect against the clean service, request by request. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Defect, defectsOf } from '../../src/defects/index.ts';
import type { OpenFeature } from '../../src/feature.ts';
import { createDirectory } from '../harness/directory.ts';
import { createTemplate, type Rows, startSubject } from './subject.ts';
import { type Ask, QUOTA, type Seen, walk } from './walk.ts';

const folder = createDirectory();
after(() => folder[Symbol.dispose]());
const template = await createTemplate(folder);
let services = 0;
const start = (feature: OpenFeature, hasTriggered: () => boolean) =>
  startSubject(template, folder.at(`${services++}.db`), feature, hasTriggered);

/** A request of the walk, and its effects on the clean service. */
interface Step {
  readonly bytes: Buffer;
  readonly seen: string;
  readonly stored: string;
  readonly rows: Rows;
}

/** What is left of a rate limit also depends on the requests before. */
const textOf = ({ status, headers, text }: Seen) =>
  JSON.stringify([status, ...[...headers].sort().flat(), text]).replace(/;r=\d+;/, ';r=…;');

function bytesOf({ method, target, token = 'main', fields = [], body, type = 'application/json' }: Ask, index: number) {
  const name = token === 'main' ? `main-${Math.floor(index / QUOTA)}` : token;
  const content = body === undefined ? undefined : Buffer.from(body);
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    `X-Request-Id: request-${index}`,
    ...(name === null ? [] : [`Authorization: Bearer ${template.tokens.get(name)}`]),
    ...(content === undefined
      ? []
      : [...(type === '' ? [] : [`Content-Type: ${type}`]), `Content-Length: ${content.length}`]),
    ...fields,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), ...(content === undefined ? [] : [content])]);
}

async function record(): Promise<readonly Step[]> {
  await using clean = await start(
    () => ({}),
    () => false,
  );
  const steps: Step[] = [];
  await walk(async (ask) => {
    const bytes = bytesOf(ask, steps.length);
    const seen = await clean.ask(bytes);
    const before = steps.at(-1);
    const stored = clean.stored();
    const rows = before?.stored === stored ? before.rows : clean.rows();
    steps.push({ bytes, seen: textOf(seen), stored, rows });
    return seen;
  });
  return steps;
}

const steps = await record();

/** Sends the walk to a service with the defect. Returns how often the defect was triggered. */
async function compare({ name, does, plant }: Pick<Defect, 'name' | 'does' | 'plant'>): Promise<number> {
  let count = 0;
  let before = 0;
  await using service = await start(
    (context) => plant(() => count++, context),
    () => count > before,
  );
  for (const { bytes, seen, stored, rows } of steps) {
    before = count;
    const wrong = textOf(await service.ask(bytes));
    const storedWrong = service.stored();
    const differs = wrong !== seen || storedWrong !== stored;
    if (differs !== count > before) {
      const parts = [
        name,
        does,
        `${count - before} counted`,
        bytes.toString('latin1'),
        seen,
        wrong,
        stored,
        storedWrong,
      ];
      assert.fail(parts.map((part) => part.slice(0, 1_000)).join('\n'));
    }
    // The next request begins with the state of the clean service again.
    if (storedWrong !== stored) service.restore(rows);
  }
  return count;
}

describe('a defect counts exactly the requests with another response or another stored state', {
  concurrency: 8,
}, () => {
  const all = [...defectsOf(), ...defectsOf(1), ...defectsOf(2)];
  for (const defect of new Map(all.map((one) => [`${one.name}: ${one.does}`, one])).values()) {
    test(`${defect.name}: ${defect.does}`, async () => {
      assert.ok((await compare(defect)) > 0);
    });
  }
});

test('a count that is too high or too low is noticed', async () => {
  const defect = defectsOf().find(({ name }) => name === 'location-missing') as Defect;
  const uncounted: Defect = { ...defect, plant: (_, context) => defect.plant(() => undefined, context) };
  const overcounted: Defect = { ...defect, plant: (count) => ({ observers: [count] }) };
  for (const wrong of [uncounted, overcounted]) await assert.rejects(compare(wrong), /counted/);
});
