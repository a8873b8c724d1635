/**
 * Receives the webhooks of a Plant Store: stores each right message once, and refuses every other.
 * PORT=8081 WEBHOOK_SECRET=whsec_… EVENTS=events.ndjson node careful.ts
 */
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { PORT, WEBHOOK_SECRET = '', EVENTS = 'events.ndjson' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const MAX_BYTES = 1_048_576;
/** The ids that were stored. A real receiver keeps them in its database, in the transaction that stores the event. */
const stored = new Set<string>();

async function receive(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) return 413;
    chunks.push(chunk);
  }
  // The signature belongs to these bytes. JSON that was parsed and written again may have others.
  const body = Buffer.concat(chunks).toString();
  try {
    // Checks the signature in constant time, and that the message is at most 5 minutes old.
    webhook.verify(body, request.headers as Record<string, string>, { jsonParse: false });
  } catch {
    return 401;
  }
  const id = String(request.headers['webhook-id']);
  if (stored.has(id)) return 204; // It was sent again, perhaps because the first response was lost.
  appendFileSync(EVENTS, `${body}\n`);
  stored.add(id);
  return 204; // Also for unknown types: any other status would make the service send the event again.
}

const answer = (request: IncomingMessage) => receive(request).catch(() => 500); // Otherwise a cut body would end Node.
const server = createServer(async (request, response) => response.writeHead(await answer(request)).end());
server.listen(Number(PORT), '127.0.0.1');
