/** Owns writing answers: the only place where a value becomes HTTP. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { STATUS_CODES } from './node-http.ts';
import type { Reply } from './reply.ts';

const EXPOSED = 'ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id';

/** On every answer. CORS is for every origin and without browser credentials: what protects is the bearer token. */
const COMMON = [
  'X-Content-Type-Options',
  'nosniff',
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED,
];
const CLOSE = ['Connection', 'close'];

/**
 * A longer body is written in pieces of so many bytes, each once the one before has left: the progress shows whether the
 * caller reads at all (connections.ts).
 */
const PIECE = 65_536;
/** Milliseconds in which a caller must read the last answer and close. */
const LINGER_MS = 1_000;

/** Writes an answer. `last`: the connection is closed behind it. */
export function respond(response: ServerResponse, reply: Reply, requestId: string, last: boolean): void {
  const { status, headers, body } = reply;
  const fields = [...COMMON, 'X-Request-Id', requestId, ...headers];
  if (last) fields.push(...CLOSE);
  if (body === undefined) {
    response.writeHead(status, fields).end();
    return;
  }
  const length = Buffer.byteLength(body);
  fields.push('Content-Length', String(length));
  response.writeHead(status, fields);
  if (length > PIECE) writePieces(response, typeof body === 'string' ? Buffer.from(body) : body, 0);
  // As many bytes as characters is ASCII, which Node writes faster, head and body in one, when it is told so.
  else response.end(body, length === body.length ? 'latin1' : 'utf8');
}

function writePieces(response: ServerResponse, body: Buffer, start: number): void {
  const end = start + PIECE;
  if (end >= body.length) response.end(body.subarray(start));
  else {
    response.write(body.subarray(start, end), (error) => {
      if (error == null) writePieces(response, body, end);
    });
  }
}

/** Answers on the bare socket where Node has no request and response, since what came is not HTTP; then hangs up. */
export function respondRaw(socket: Socket, reply: Reply, requestId: string, method?: string): void {
  const body = reply.body ?? '';
  const fields = [...COMMON, 'X-Request-Id', requestId, ...reply.headers, ...CLOSE];
  const lines = [`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}`, `Date: ${new Date().toUTCString()}`];
  for (let i = 0; i < fields.length; i += 2) lines.push(`${fields[i]}: ${fields[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`);
  hangUp(socket);
}

/** Ends a connection, but reads on for a while: to close with input unread takes the answer back (RFC 9112, 9.6). */
export function hangUp(socket: Socket): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
