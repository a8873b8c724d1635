/** Compares a service with a defect with the clean service, request by request. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Defect } from '../../defects/index.ts';
import { type Ask, QUOTA, type Seen, walk } from './walk.ts';
import { type Rows, startSubject, type Template } from './walked-service.ts';

/** A request of the walk, and its effects on the clean service. */
export interface Step {
  readonly bytes: Uint8Array;
  readonly seen: string;
  readonly stored: string;
  readonly rows: Rows;
}

/** What a comparison needs. It can be sent to another thread. */
export interface Recording {
  readonly template: Template;
  readonly steps: readonly Step[];
}

/** What is left of a rate limit also depends on the requests before. */
const textOf = ({ status, headers, text }: Seen) =>
  JSON.stringify([status, ...[...headers].sort().flat(), text]).replace(/;r=\d+;/, ';r=…;');

function bytesOf(
  { tokens }: Template,
  { method, target, token = 'main', fields = [], body, type = 'application/json' }: Ask,
  index: number,
): Buffer {
  const name = token === 'main' ? `main-${Math.floor(index / QUOTA)}` : token;
  const content = body === undefined ? undefined : Buffer.from(body);
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    `X-Request-Id: request-${index}`,
    ...(name === null ? [] : [`Authorization: Bearer ${tokens.get(name)}`]),
    ...(content !== undefined && type !== '' ? [`Content-Type: ${type}`] : []),
    ...(content !== undefined ? [`Content-Length: ${content.length}`] : []),
    ...fields,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content ?? Buffer.alloc(0)]);
}

/** Walks through the clean service. */
export async function record(template: Template): Promise<Recording> {
  const path = join(template.folder, 'clean.db');
  await using clean = await startSubject(
    template,
    path,
    () => ({}),
    () => false,
  );
  const steps: Step[] = [];
  await walk(async (ask) => {
    const bytes = bytesOf(template, ask, steps.length);
    const seen = await clean.ask(bytes);
    const before = steps.at(-1);
    const stored = clean.stored();
    const rows = before?.stored === stored ? before.rows : clean.rows();
    steps.push({ bytes, seen: textOf(seen), stored, rows });
    return seen;
  });
  return { template, steps };
}

/**
 * Sends the walk to a service with the defect. Returns how often the defect was triggered. Rejects if a request was
 * counted without a difference, or the other way round. `name`: the name of a new file.
 */
export async function compare(
  { template, steps }: Recording,
  { name, does, plant }: Pick<Defect, 'name' | 'does' | 'plant'>,
  file: string,
): Promise<number> {
  let count = 0;
  let before = 0;
  await using service = await startSubject(
    template,
    join(template.folder, `${file}.db`),
    (context) => plant(() => count++, context),
    () => count > before,
  );
  for (const { bytes, seen, stored, rows } of steps) {
    before = count;
    const wrong = textOf(await service.ask(Buffer.from(bytes)));
    const storedWrong = service.stored();
    const differs = wrong !== seen || storedWrong !== stored;
    if (differs !== count > before) {
      const sent = Buffer.from(bytes).toString('latin1');
      const parts = [name, does, `${count - before} counted`, sent, seen, wrong, stored, storedWrong];
      assert.fail(parts.map((part) => part.slice(0, 1_000)).join('\n'));
    }
    // The next request begins with the state of the clean service again.
    if (storedWrong !== stored) service.restore(rows);
  }
  return count;
}
