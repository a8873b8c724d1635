/** The corpus of raw requests: classes of request smuggling × what their body hides. */
import { readFileSync } from 'node:fs';

interface Group {
  readonly group: string;
  /** Who published the class, or which section of an RFC it breaks. */
  readonly source: string;
  /** The request line. Default: POST /plants. */
  readonly line?: string;
  readonly fields: string;
  readonly body: string;
  /** One request for each: it replaces `{x}` in the line, the fields or the body. */
  readonly values: readonly string[];
}

export interface Case {
  readonly name: string;
  /** The bytes to send. `path` is the path of the hidden request, which nobody may ever serve. */
  bytes(token: string, path: string): Buffer;
}

/** Connections on which a hidden request is whole, or waits for another client's request to complete it. */
const HIDDEN: Readonly<Record<string, (token: string, path: string) => string>> = {
  whole: (token, path) => `DELETE ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'open header': (_token, path) => `DELETE ${path} HTTP/1.1\r\nHost: localhost\r\nX-Swallow: `,
  'open body': (token, path) =>
    `PUT ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 300\r\n\r\n{"name":"`,
};

export function readCorpus(): readonly Case[] {
  const groups: readonly Group[] = JSON.parse(readFileSync(new URL('corpus.json', import.meta.url), 'utf8'));
  return groups.flatMap(({ group, line = 'POST /plants HTTP/1.1', fields, body, values }) =>
    values.flatMap((value) =>
      Object.entries(HIDDEN).map(([position, hide]) => ({
        name: `${group}: ${JSON.stringify(value)}, ${position}`,
        bytes: (token, path) => request({ line, fields, body }, value, token, hide(token, path)),
      })),
    ),
  );
}

/** In the templates, `{hex}` is the length of the hidden request, and `{before}` what stands before it in the body. */
function request(parts: Pick<Group, 'fields' | 'body'> & { line: string }, x: string, token: string, hidden: string) {
  const hex = hidden.length.toString(16);
  const template = parts.body.replace('{x}', () => x).replaceAll('{hex}', hex);
  const body = template.replace('{S}', () => hidden);
  const fill = (text: string) =>
    text
      .replace('{x}', () => x)
      .replaceAll('{length}', String(body.length))
      .replaceAll('{before}', String(template.indexOf('{S}')));
  const host = 'Host: localhost\r\n';
  const type = 'Content-Type: application/json\r\n';
  const credential = `Authorization: Bearer ${token}\r\n`;
  const head = `${fill(parts.line)}\r\n${host}${credential}${type}${fill(parts.fields)}\r\n\r\n`;
  return Buffer.from(head + body, 'latin1');
}
