/** Sends a message to a receiver once, with HTTP. */
import { constants } from 'node:crypto';
import type { AgentOptions, ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { TcpSocketConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../../feature.ts';
import { version } from '../../../util/version.generated.ts';
import { type Destination, DestinationError } from './destination.ts';

/** Sends messages with connections of its own. */
export interface Sender {
  /**
   * Sends a POST, byte for byte, and never rejects. Ends with a failure when the signal aborts. Does not follow
   * redirects, and uses no proxy of the environment. attempts.ts limits how many attempts run at the same time.
   * `duration`: how long sending the body takes, in milliseconds. Default: the whole body is sent immediately.
   */
  readonly send: (
    destination: Destination,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    signal: AbortSignal,
    duration?: number,
  ) => Promise<Outcome>;
  /** Closes the connections. Abort the attempts first. */
  close(): void;
}

export interface SenderOptions {
  /** The longest that an attempt may take, in milliseconds, including the look-up and the response's body. */
  readonly timeout: number;
  /** The clock for a Retry-After that is a date, in milliseconds since 1970. */
  readonly now: () => number;
}

// src/http/connections/listener.ts explains why they are not imported.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

const MAX_RESPONSE = 1_024;
const MAX_RESPONSE_HEADERS = 16_384;
/** The most bytes that are read of a response, with informational responses and empty lines before it. */
const MAX_READ = 262_144;
/** In how many pieces a body is sent slowly. */
const PIECES = 50;
const MAX_RETRY_AFTER = 3_600_000;
/** Keeps connections. Closes an idle one after 4 s, before usual servers close theirs (5 s or more). */
const AGENT: AgentOptions = { keepAlive: true, maxFreeSockets: 16, timeout: 4_000 };

/** The longest wait for one of several addresses. A lost packet takes a second or more. Node itself waits 500 ms. */
const CONNECT = 2_500;

const STOPPED = 'the attempt was ended before the response';
const CLOSED = 'the connection was closed before the response';
/** A code of this module. */
const TOO_LONG = 'TOO_LONG';
const UNREACHABLE = 'the host cannot be reached';
const NOT_VALID = 'the certificate is not valid';
/** The meaning of error codes. */
const FAILURES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `${NOT_VALID}: it has expired`,
  CERT_NOT_YET_VALID: `${NOT_VALID}: it is not valid yet`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `${NOT_VALID}: it is self-signed`,
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CLOSED,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EPIPE: CLOSED,
  ERR_TLS_CERT_ALTNAME_INVALID: `${NOT_VALID}: it belongs to another host`,
  ETIMEDOUT: UNREACHABLE,
  [TOO_LONG]: `the receiver sent more than ${MAX_READ / 1_024} KiB before the response`,
  HPE_HEADER_OVERFLOW: `the header fields of the response have more than ${MAX_RESPONSE_HEADERS / 1_024} KiB`,
};

export function createSender({ timeout, now }: SenderOptions): Sender {
  const plain = new http.Agent(AGENT);
  const secure = new https.Agent(AGENT);

  const send: Sender['send'] = async (destination, headers, body, signal, duration = 0) => {
    if (signal.aborted) return { failure: STOPPED };
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, timeout);
    signal.addEventListener('abort', end);
    const { protocol, hostname } = destination.url;
    const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `Plant-Store/${version} (webhooks)`,
        ...headers,
      },
      agent: protocol === 'https:' ? secure : plain,
      lookup: destination.lookup,
      autoSelectFamilyAttemptTimeout: CONNECT,
      // RFC 6066, section 3: without the last dot. Servers in Go refuse it.
      ...(hostname.endsWith('.') && { servername: hostname.slice(0, -1) }),
      maxHeaderSize: MAX_RESPONSE_HEADERS,
      // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
      rejectUnauthorized: true,
      // A receiver with TLS 1.2 could ask for handshakes until the time is up.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    };
    try {
      const response = await post(destination.url, options, body, duration, ending.signal);
      return {
        status: response.statusCode ?? 0,
        ...readRetryAfter(response.headers['retry-after'], now),
        response: await readStart(response),
      };
    } catch (error) {
      if (signal.aborted) return { failure: STOPPED };
      return { failure: ending.signal.aborted ? `no response within ${timeout / 1_000} s` : explain(error) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  };
  return {
    send,
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** Resolves when the header fields of the response have arrived. */
function post(
  url: URL,
  options: RequestOptions,
  body: string | Uint8Array,
  duration: number,
  ending: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options);
    // The option `signal` would do the same, but takes much more time.
    ending.addEventListener('abort', () => request.destroy());
    let hasResponse = false;
    request.once('response', (response) => {
      hasResponse = true;
      resolve(response);
    });
    request.on('error', (error) => {
      // The receiver closed an idle connection just before the request. The second connection is fresh.
      const isStale = request.reusedSocket && !hasResponse && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      if (isStale && !ending.aborted) resolve(post(url, { ...options, agent: false }, body, duration, ending));
      else reject(error);
    });
    // Node itself limits only the header fields of each response.
    request.once('socket', (socket) => {
      const before = socket.bytesRead;
      const count = () => {
        if (socket.bytesRead - before > MAX_READ) request.destroy(withCode(TOO_LONG));
      };
      socket.on('data', count);
      request.once('close', () => socket.off('data', count));
    });
    // A response that switches to another protocol (101) causes neither of the other events.
    request.once('close', () => hasResponse || reject(withCode('ECONNRESET')));
    if (duration > 0) void writeSlowly(request, Buffer.from(body), duration);
    else request.end(body);
  });
}

async function writeSlowly(request: ClientRequest, body: Buffer, duration: number): Promise<void> {
  const length = Math.ceil(body.length / Math.min(PIECES, body.length));
  const pause = duration * (length / body.length);
  for (let at = 0; at < body.length && !request.destroyed; at += length) {
    request.write(body.subarray(at, at + length));
    await sleep(pause);
  }
  if (!request.destroyed) request.end();
}

/**
 * Reads the start of the body, and closes the connection if there is more. The body may also end early, because the
 * time is up or the receiver closed the connection. The status alone decides whether the message has arrived.
 */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  await new Promise<void>((resolve) => {
    response.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_RESPONSE) response.destroy();
    });
    response.on('error', () => {});
    response.once('end', resolve).once('close', resolve);
  });
  if (length === 0) return '';
  // With `stream` a character that was cut is left out. PostgreSQL cannot store U+0000.
  const start = Buffer.concat(chunks).subarray(0, MAX_RESPONSE);
  return new TextDecoder().decode(start, { stream: true }).replaceAll('\0', '\ufffd');
}

/** RFC 9110, sections 5.6.7 and 10.2.3: seconds or a date, of which the oldest form names no zone. */
function readRetryAfter(text: string | undefined, now: () => number): Pick<Outcome, 'retryAfter'> {
  if (text === undefined) return {};
  const isDate = /^[A-Z][a-z]{2,8},? /.test(text);
  const date = text.endsWith(' GMT') ? text : `${text} GMT`;
  const wait = isDate ? Date.parse(date) - now() : /^\d+$/.test(text) ? Number(text) * 1_000 : Number.NaN;
  return Number.isNaN(wait) ? {} : { retryAfter: Math.min(Math.max(wait, 0), MAX_RETRY_AFTER) };
}

const withCode = (code: string) => Object.assign(new Error(code), { code });
const codeOf = (error: unknown) => (Error.isError(error) && 'code' in error ? String(error.code) : '');

/** Messages of other errors may contain texts of the receiver, such as names in its certificate. */
function explain(error: unknown): string {
  if (error instanceof DestinationError) return error.message;
  const code = codeOf(error);
  const known = FAILURES[code];
  if (known !== undefined) return known;
  if (/^(UNABLE_TO_|SELF_SIGNED_)/.test(code)) return `${NOT_VALID}: its issuer is unknown`;
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return `the TLS handshake failed (${code})`;
  return code.startsWith('HPE_') ? `the response is not valid HTTP (${code})` : `the request failed (${code})`;
}
