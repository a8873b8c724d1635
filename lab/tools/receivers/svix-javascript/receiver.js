/** Receives webhooks with the library of Svix. It stores each message once. */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Webhook } from 'svix';

const { PLANTSTORE_PORT, PLANTSTORE_SECRET, PLANTSTORE_REPORT } = process.env;
const webhook = new Webhook(PLANTSTORE_SECRET);
const stored = new Set();

async function receive(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > 1_048_576) return 413;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  try {
    webhook.verify(body, request.headers);
  } catch {
    return 401;
  }
  const id = request.headers['webhook-id'];
  if (!stored.has(id)) appendFileSync(PLANTSTORE_REPORT, `${body}\n`);
  stored.add(id);
  return 204;
}

const server = createServer(async (request, response) => response.writeHead(await receive(request)).end());
server.listen(Number(PLANTSTORE_PORT), '127.0.0.1');
