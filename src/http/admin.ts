/** Owns the admin listener: metrics and health on an address of their own, which is not for the world. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Problem } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Pages } from './page.ts';
import { problemReply, type Reply } from './reply.ts';
import { createRequestIds } from './request-id.ts';
import { respond } from './respond.ts';

export interface AdminListener {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/** Serves /metrics and the given pages. It knows no credentials: who can reach the address can read them. */
export async function openAdmin(host: string, port: number, metrics: Metrics, pages: Pages): Promise<AdminListener> {
  const requestIds = createRequestIds('admin');
  const metricsPage = async (): Promise<Reply> => ({
    status: 200,
    headers: ['Content-Type', metrics.contentType, 'Cache-Control', 'no-store'],
    body: await metrics.text(),
  });
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, async (request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    const page = path === '/metrics' ? { get: metricsPage } : pages.get(path);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const reply =
      page === undefined
        ? problemReply(new Problem(40400, 'There is no such path; /metrics, /healthz and /readyz are.'))
        : isRead
          ? await page.get(request)
          : problemReply(new Problem(40500, 'GET and HEAD are the methods of this path.', ['Allow', 'GET, HEAD']));
    respond(response, reply, requestIds(request), false);
  });
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    address: server.address() as AddressInfo,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
