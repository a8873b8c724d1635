/** Owns the admin listener: metrics and health on an address of their own, which is not for the world. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Problem } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { failure } from './failure.ts';
import { framingFault } from './framing.ts';
import type { Page, Pages } from './page.ts';
import type { Pipeline } from './pipeline.ts';
import { problemReply, type Reply } from './reply.ts';
import { createRequestIds } from './request-id.ts';
import { createHttpServer } from './server.ts';
import { readTarget } from './target.ts';

export interface AdminListener {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

const LIMITS = { maxHeader: 16_384, requestTimeout: 5_000, maxConnections: 1_000 };

/** Serves /metrics and the given pages. It knows no credentials: who can reach the address can read them. */
export async function openAdmin(
  host: string,
  port: number,
  metrics: Metrics,
  pages: Pages,
  log: Logger,
): Promise<AdminListener> {
  const metricsPage: Page = {
    get: async () => ({
      status: 200,
      headers: ['Content-Type', metrics.contentType, 'Cache-Control', 'no-store'],
      body: await metrics.text(),
    }),
  };
  const all: Pages = new Map([...pages, ['/metrics', metricsPage]]);
  const pipeline: Pipeline = {
    async answer(request, _response, requestId) {
      try {
        const outcome = await answer(request, all);
        return outcome instanceof Problem ? problemReply(outcome) : outcome;
      } catch (error) {
        return problemReply(failure(error, request, requestId, log));
      }
    },
    refuseMethod: (target) => refuse(pageOf(target, all)),
  };
  const server = createHttpServer({
    pipeline,
    watch: () => undefined,
    limits: LIMITS,
    tls: undefined,
    requestIds: createRequestIds('admin'),
    log,
  });
  return { address: await server.listen(port, host, false), close: () => server.drain(0) };
}

function answer(request: IncomingMessage, pages: Pages): Problem | Reply | Promise<Reply> {
  const malformed = framingFault(request);
  if (malformed !== undefined) return malformed;
  const page = pageOf(request.url ?? '/', pages);
  if (page !== undefined && (request.method === 'GET' || request.method === 'HEAD')) return page.get(request);
  return refuse(page);
}

function pageOf(target: string, pages: Pages): Page | undefined {
  return pages.get(readTarget(target, '').path);
}

function refuse(page: Page | undefined): Problem {
  if (page === undefined) return new Problem(40400, 'There is no such path; /metrics, /healthz and /readyz exist.');
  return new Problem(40500, 'The path does not support this method; it supports GET, HEAD.', { Allow: 'GET, HEAD' });
}
