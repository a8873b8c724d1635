/** Reads the feed: pages in JSON, and streams that stay open. */
import assert from 'node:assert/strict';
import { type Client, type ClientResponse, parseExact } from '../../harness/client.ts';

export interface ReadEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly id: number | bigint;
    readonly name: string;
    readonly tag?: string;
    readonly previousName?: string;
    readonly previousTag?: string | null;
  };
}

export interface ReadPage {
  readonly events: readonly ReadEvent[];
  /** The address of the next page. */
  readonly next: string;
}

/** Reads a page. `target`: the path with its query. */
export async function readPage(client: Client, target: string): Promise<ReadPage> {
  return pageOf(await client.send('GET', target));
}

export function pageOf(response: ClientResponse): ReadPage {
  assert.equal(response.status, 200, response.text);
  const next = addressIn(response.headers['link']);
  return { events: response.json() as readonly ReadEvent[], next };
}

/** The address in the header field Link. */
export function addressIn(link: unknown): string {
  const [, address] = /^<(.*)>; rel="next"$/.exec(String(link)) ?? [];
  assert.ok(address !== undefined, String(link));
  return address;
}

export const cursorIn = (address: string): string => {
  const cursor = new URL(address, 'http://localhost').searchParams.get('after');
  assert.ok(cursor !== null, address);
  return cursor;
};

/** The type of each event and the id of its plant. */
export const briefly = (events: readonly ReadEvent[]) => events.map(({ type, data }) => `${type} ${data.id}`);

export interface Stream extends Disposable {
  readonly status: number;
  readonly headers: Headers;
  /** Resolves to the text so far once `holds` is true of it. Rejects if the stream ends before. */
  until(holds: (text: string) => boolean): Promise<string>;
  /** Resolves to all text when the service ends the stream. */
  end(): Promise<string>;
}

/** Opens a stream in the form of `type`. */
export async function openStream(
  { url, token }: Pick<Client, 'url' | 'token'>,
  target: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const stopping = new AbortController();
  const fields = { Authorization: `Bearer ${token}`, Accept: type, ...headers };
  const response = await fetch(url + target, { headers: fields, signal: stopping.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader !== undefined);
  let text = '';
  return {
    status: response.status,
    headers: response.headers,
    async until(holds) {
      while (!holds(text)) {
        const { done, value } = await reader.read();
        if (done) assert.fail(`the stream ended after: ${text}`);
        text += value;
      }
      return text;
    },
    async end() {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

/** The events of the text of an event stream. Checks that `id` and `event` repeat the members of the data. */
export function eventsOf(text: string): readonly ReadEvent[] {
  const blocks = text.split('\n\n').filter((block) => block.includes('data: '));
  return blocks.map((block) => {
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    const event = parseExact(fields.data) as ReadEvent;
    assert.equal(fields.id, event.id);
    assert.equal(fields.event, event.type);
    return event;
  });
}

/** Reads the events in the text of a stream so far, by media type. Ignores an event that is not complete. */
export const STREAMS = {
  'text/event-stream': (text: string) => eventsOf(text.slice(0, text.lastIndexOf('\n\n'))),
  'application/jsonl': (text: string) => {
    const lines = text.slice(0, text.lastIndexOf('\n')).split('\n').filter(Boolean);
    return lines.map((line) => parseExact(line) as ReadEvent);
  },
} as const;
