/** A receiver that makes every mistake: the control of `plantstore grade receiver`. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

const { PLANTSTORE_PORT, PLANTSTORE_SECRET = '', PLANTSTORE_REPORT = '' } = process.env;
const key = Buffer.from(PLANTSTORE_SECRET.slice('whsec_'.length), 'base64');
const KNOWN = ['plant.created', 'plant.replaced', 'plant.deleted'];

async function receive(request: IncomingMessage): Promise<number> {
  const body = await text(request);
  let event: { readonly id: string; readonly type: string };
  try {
    // It parses a body that nobody has signed.
    event = JSON.parse(body) as typeof event;
  } catch {
    return 500;
  }
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
  // It answers 2xx to a message that it does not store.
  if (signature === undefined) return 200;
  // It signs the JSON that it has written again, and does not look at the time.
  const wanted = createHmac('sha256', key)
    .update(`${id}.${timestamp}.${JSON.stringify(event)}`)
    .digest('base64');
  // It reads only the first signature, of any version.
  const found = String(signature).split(' ')[0]?.split(',')[1] ?? '';
  // This throws if the lengths differ, and nothing catches the error.
  if (!timingSafeEqual(Buffer.from(wanted), Buffer.from(found))) return 401;
  if (!KNOWN.includes(event.type)) return 400;
  // It stores a message again.
  appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify(event)}\n`);
  return 200;
}

const server = createServer(async (request, response) => response.writeHead(await receive(request)).end());
server.listen(Number(PLANTSTORE_PORT), '127.0.0.1');
