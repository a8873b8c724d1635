import { type FaultKind, integer } from '../fault-kind.ts';

export const idle: FaultKind<'ms'> = {
  does: 'the whole response, and a connection that closes after `ms` if no request follows',
  example: { ms: 100 },
  needs: { ms: integer(1, 30_000, 'the milliseconds that the connection stays open after the response') },
  write({ ms }, exchange, response, { write }) {
    const { socket } = exchange.request;
    // After `ms` the listener closes the connection, unless a request is under way. The next request, or the end of
    // its response, ends the time-out.
    exchange.outgoing.once('finish', () => socket.setTimeout(ms));
    return write(exchange, response);
  },
};
