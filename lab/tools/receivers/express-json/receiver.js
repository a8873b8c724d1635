/** Express with a parser for all paths. https://docs.svix.com/receiving/verifying-payloads/how/ warns against it. */
import { appendFileSync } from 'node:fs';
import express from 'express';
import { Webhook } from 'svix';

const { PLANTSTORE_PORT, PLANTSTORE_SECRET, PLANTSTORE_REPORT } = process.env;
const app = express();
app.use(express.json());

app.post('/', (request, response) => {
  const webhook = new Webhook(PLANTSTORE_SECRET);
  try {
    webhook.verify(JSON.stringify(request.body), request.headers);
  } catch {
    return response.status(400).json({});
  }
  appendFileSync(PLANTSTORE_REPORT, `${JSON.stringify(request.body)}\n`);
  response.json({});
});

app.listen(Number(PLANTSTORE_PORT), '127.0.0.1');
