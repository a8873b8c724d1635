/** Runs the lines of defects, and reads what curl prints. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface Shown {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** Runs the line of a defect in a shell, and returns the output. */
export async function runLine(line: string, env: Readonly<Record<string, string>>): Promise<Buffer> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'buffer',
    maxBuffer: 2 ** 24,
  });
  return stdout;
}

export function responsesIn(printed: Buffer): readonly Shown[] {
  const found: Shown[] = [];
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf('\r\n\r\n', at) + 4;
    const [line = '', ...fields] = printed.toString('utf8', at, end - 4).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => [field.split(': ')[0]?.toLowerCase(), field.slice(field.indexOf(': ') + 2)]),
    );
    const isHead = printed.toString('latin1', end, end + 5) === 'HTTP/' || end === printed.length;
    const length = isHead ? 0 : Number(headers['content-length'] ?? 0);
    found.push({ status: Number(line.split(' ')[1]), headers, text: printed.toString('utf8', end, end + length) });
    at = end + length;
  }
  return found;
}

/** Removes what differs between two runs of the same service. */
export const withoutChance = (printed: Buffer) =>
  printed
    .toString()
    .replace(/^(?:Date|X-Request-Id|RateLimit): .*\r\n/gm, '')
    .replace(/^(ETag: (?:W\/)?\W*)\w+/gm, '$1…');

/** Drops repeated statuses. */
export const withoutRepeats = (statuses: readonly number[]) =>
  statuses.filter((status, i) => status !== statuses[i - 1]);
