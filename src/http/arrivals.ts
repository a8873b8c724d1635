/** What has arrived on a connection, as Node's parser does not tell it: how many bytes a head has, and its first line. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';
import { headTooLong, wrongVersion } from './request.ts';

/**
 * Of Node's parser, and not documented: `getCurrentBuffer` is what it is reading, and the function under `kOnExecute` is
 * called after each read. To listen for 'data' would do, but every request would cost a tenth more.
 */
interface Parser {
  readonly constructor: { readonly kOnExecute?: number };
  getCurrentBuffer(): Buffer;
  [slot: number]: (parsed: unknown) => void;
}

interface Arrival {
  readonly parser: Parser;
  /** How many bytes of the connection belong to what was told of, or may do so. */
  known: number;
  /** The newest request, and whether its body was still arriving at the end of the last read. */
  newest: IncomingMessage | undefined;
  isBody: boolean;
  /** The first characters of a head that is not complete, up to its first line or a little further. */
  begun: string;
  /** Requests of this read that so many bytes came with that these are counted first. */
  doubtful: Exchange[];
}

/** Enough for the method of any request and the line of most. */
const BEGUN = 1_024;

interface Parts {
  readonly maxHeader: number;
  /** Is given every request, in order. */
  readonly next: (exchange: Exchange) => void;
  /** Is told of what Node's parser takes and must not be, by the code that Node has for it. */
  readonly refuse: (code: string, socket: Socket) => void;
}

export type Arrivals = ReturnType<typeof createArrivals>;

export function createArrivals({ maxHeader, next, refuse }: Parts) {
  const arrivals = new WeakMap<Socket, Arrival>();

  const afterRead = (socket: Socket, arrival: Arrival, parsed: unknown) => {
    if (arrival.doubtful.length > 0) settle(arrival, socket.bytesRead, maxHeader).forEach(next);
    if (arrival.isBody) arrival.known = socket.bytesRead;
    const { newest, parser } = arrival;
    arrival.isBody = newest !== undefined && !newest.complete;
    if (typeof parsed !== 'number') return;
    if (arrival.isBody) {
      // Node says nothing of an error behind a request for an upgrade, and reads no further.
      const isStuck = newest?.headers.upgrade !== undefined && parsed < parser.getCurrentBuffer().length;
      if (isStuck) refuse('HPE_INVALID_CHUNK_SIZE', socket);
    } else if (socket.bytesRead > arrival.known) {
      if (arrival.begun.length < BEGUN && !/[^\r\n].*\n/.test(arrival.begun)) arrival.begun += textOf(parser, BEGUN);
      if (socket.bytesRead - arrival.known > maxHeader) refuse('HPE_HEADER_OVERFLOW', socket);
    }
  };

  return {
    add(socket: Socket): void {
      const { parser } = socket as { parser?: Parser };
      // A connection before its TLS handshake has no parser, and another release of Node may have another one.
      const slot = parser?.getCurrentBuffer && parser.constructor.kOnExecute;
      if (parser === undefined || slot === undefined) return;
      const arrival = { parser, known: 0, newest: undefined, isBody: false, begun: '', doubtful: [] };
      arrivals.set(socket, arrival);
      const told = parser[slot] as Parser[number];
      parser[slot] = (parsed) => {
        afterRead(socket, arrival, parsed);
        told(parsed);
      };
    },

    /** To be called while Node tells of a request. */
    take(exchange: Exchange): void {
      const { request } = exchange;
      const { socket } = request;
      const arrival = arrivals.get(socket);
      if (arrival === undefined) {
        next(exchange);
        return;
      }
      // To look costs a microsecond: not where a line of HTTP/1.1 came in one piece, unless it is the connection's first.
      if (arrival.newest === undefined || arrival.begun !== '' || request.httpVersion !== '1.1') {
        if (saysRtsp(request, arrival.begun + textOf(arrival.parser))) exchange.refused = wrongVersion();
        arrival.begun = '';
      }
      arrival.newest = request;
      if (socket.bytesRead - arrival.known > maxHeader && !arrival.isBody) arrival.doubtful.push(exchange);
      else {
        arrival.known = socket.bytesRead;
        next(exchange);
      }
    },

    /** The beginning of the head that is arriving; empty where none is, or it began in the read that is being told of. */
    begun: (socket: Socket) => arrivals.get(socket)?.begun ?? '',
  };
}

function textOf(parser: Parser, length?: number): string {
  return parser.getCurrentBuffer().toString('latin1', 0, length);
}

/**
 * Marks what is too long. Counted is what a request needs to say what it says; what is left may be the beginning of another
 * head, and is as long as one at most unless it is filled with blanks, empty lines or the like.
 */
function settle(arrival: Arrival, bytesRead: number, maxHeader: number): readonly Exchange[] {
  const { doubtful } = arrival;
  let left = bytesRead - arrival.known;
  for (const exchange of doubtful) {
    const length = headLength(exchange.request);
    if (length > maxHeader) exchange.refused = headTooLong(maxHeader);
    left -= length + bodyLength(exchange.request);
  }
  if (left > maxHeader) for (const exchange of doubtful) exchange.refused = headTooLong(maxHeader);
  arrival.doubtful = [];
  arrival.known = bytesRead;
  return doubtful;
}

/** The fewest bytes that it can be written in. */
function headLength({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  const fields = rawHeaders.reduce((sum, text) => sum + text.length, 0) + (rawHeaders.length / 2) * ':\r\n'.length;
  return `${method}  HTTP/1.1\r\n\r\n`.length + url.length + fields;
}

/** At most so many bytes have arrived of it, none of which has been read yet. A chunk of one byte has six. */
function bodyLength({ readableLength, headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? readableLength : 6 * readableLength + '0\r\n\r\n'.length;
}

/** Whether a request's line says RTSP, which Node's parser takes for HTTP of the same version. */
function saysRtsp({ method, url, httpVersion }: IncomingMessage, arrived: string): boolean {
  if (!arrived.includes(' RTSP/1.')) return false;
  const lines = arrived.replace(/ +/g, ' ').split('\r\n');
  const has = (protocol: string) => lines.some((line) => line.endsWith(`${method} ${url} ${protocol}/${httpVersion}`));
  // What looks so may be a body or another request: where the same line is also there as HTTP, the parser is believed.
  return has('RTSP') && !has('HTTP');
}
