/**
 * The channel to the process that started this one to grade an API tester. GRADE_CHANNEL is the number of an inherited
 * file descriptor. Both sides write JSON, one message per line. docs/manifest.md describes the messages.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { StartupError } from '../../src/errors.ts';

/** The first message of the grader, and the end of the channel. */
export interface Parent {
  /** The defect to plant. Undefined for a control. */
  readonly defect: string | undefined;
  /** The seed of the variants of the defects. Undefined for the published defects. */
  readonly variants: number | undefined;
  /** Resolves when the grader closes the channel: this process should end. */
  readonly ended: Promise<void>;
}

const STANDARD_ERROR = 2;

let channel: Socket | undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/** Waits for the first message. Resolves to undefined if there is no channel. Rejects with a StartupError. */
export async function openParent({ GRADE_CHANNEL: descriptor = '' }: Environment): Promise<Parent | undefined> {
  if (descriptor === '') return undefined;
  try {
    const fd = Number(descriptor);
    // Another program may have set the variable. Reading from Node's own files would never end.
    if (fd <= STANDARD_ERROR || !fstatSync(fd).isSocket()) throw new Error('it is no channel');
    // The counts are still sent after the grader has closed its side.
    channel = new Socket({ fd, allowHalfOpen: true });
    channel.on('error', () => undefined);
    const lines = createInterface({ input: channel });
    const ended = new Promise<void>((resolve) => lines.once('close', resolve));
    const first = await Promise.race([new Promise<string>((resolve) => lines.once('line', resolve)), ended]);
    channel.unref();
    const { defect, variants } = JSON.parse(first ?? '') as Record<string, unknown>;
    return {
      defect: typeof defect === 'string' ? defect : undefined,
      variants: typeof variants === 'number' ? variants : undefined,
      ended,
    };
  } catch (cause) {
    const why = 'there is no grader behind this file descriptor; unset the variable';
    throw new StartupError(`GRADE_CHANNEL: ${why}`, { cause });
  }
}

/** Sends a message to the grader. Does nothing if there is no channel. */
export function sendToParent(message: object): void {
  // It is no error if the grader has ended.
  if (channel?.writable) channel.write(`${JSON.stringify(message)}\n`);
}
