/** Fastify with the raw body, as https://github.com/Eomm/fastify-raw-body shows it. */
import { appendFileSync } from 'node:fs';
import Fastify from 'fastify';
import { Webhook } from 'svix';

const { PLANTSTORE_PORT, PLANTSTORE_SECRET, PLANTSTORE_REPORT } = process.env;
const webhook = new Webhook(PLANTSTORE_SECRET);
const app = Fastify();
await app.register(import('fastify-raw-body'), { global: false, runFirst: true });

app.post('/', {
  config: { rawBody: true },
  handler(request, reply) {
    try {
      webhook.verify(request.rawBody, request.headers);
    } catch {
      return reply.code(400).send();
    }
    appendFileSync(PLANTSTORE_REPORT, `${request.rawBody}\n`);
    reply.send();
  },
});

await app.listen({ port: Number(PLANTSTORE_PORT) });
