import type { Exchange } from '../../../http/exchange.ts';
import { isStream, type Response } from '../../../http/response.ts';

/** The body that a response sends; empty for a stream, and for HEAD. */
export function sentBody({ request }: Exchange, { body = '' }: Response): Buffer {
  const sent = isStream(body) || request.method === 'HEAD' ? '' : body;
  return typeof sent === 'string' ? Buffer.from(sent) : sent;
}
