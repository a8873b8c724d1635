/** A bare node:http server. It checks a token and echoes the parsed body, or returns a constant if there is no body. */
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
    const content = JSON.stringify({ name, tag });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) });
    response.end(content);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
