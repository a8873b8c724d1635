/** Express, as https://docs.svix.com/receiving/verifying-payloads/how/ shows it. */
import { appendFileSync } from 'node:fs';
import express from 'express';
import { Webhook } from 'svix';

const { PLANTSTORE_PORT, PLANTSTORE_SECRET, PLANTSTORE_REPORT } = process.env;
const app = express();

app.post('/', express.raw({ type: 'application/json' }), (request, response) => {
  const webhook = new Webhook(PLANTSTORE_SECRET);
  try {
    webhook.verify(request.body, request.headers);
  } catch {
    return response.status(400).json({});
  }
  appendFileSync(PLANTSTORE_REPORT, `${request.body}\n`);
  response.json({});
});

app.listen(Number(PLANTSTORE_PORT), '127.0.0.1');
