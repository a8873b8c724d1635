/** A bare node:http server: checks a token, parses the body and echoes it; a request without a body gets a constant. */
import { createServer } from 'node:http';

const expected = `Bearer ${process.env['PLANTSTORE_TOKEN']}`;

const server = createServer((request, response) => {
  if (request.headers.authorization !== expected) {
    response.writeHead(401).end();
    return;
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const { name, tag } = body === '' ? { name: 'Aloe vera', tag: 'succulent' } : JSON.parse(body);
    const answer = JSON.stringify({ name, tag });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
