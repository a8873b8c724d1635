/** A demo for the tests of the page. */
import { createClient } from '../harness/client.ts';
import { serveProcess } from '../harness/process.ts';

/** Starts `plantstore serve --demo`. `client` sends requests with its token. */
export async function demo() {
  const service = await serveProcess(['--demo']);
  const client = createClient(service.url, 'demo');
  return {
    ...service,
    client,
    async [Symbol.asyncDispose]() {
      client.close();
      await service.stop('SIGTERM');
    },
  };
}
