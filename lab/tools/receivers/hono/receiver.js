/** Hono with the raw body, as https://hono.dev/examples/stripe-webhook shows it. */
import { appendFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Webhook } from 'svix';

const { PLANTSTORE_PORT, PLANTSTORE_SECRET, PLANTSTORE_REPORT } = process.env;
const webhook = new Webhook(PLANTSTORE_SECRET);
const app = new Hono();

app.post('/', async (context) => {
  try {
    const body = await context.req.text();
    webhook.verify(body, context.req.header());
    appendFileSync(PLANTSTORE_REPORT, `${body}\n`);
    return context.text('', 200);
  } catch (error) {
    return context.text(String(error), 400);
  }
});

serve({ fetch: app.fetch, port: Number(PLANTSTORE_PORT), hostname: '127.0.0.1' });
