/** Requests that never throw, from a chosen address of this machine. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Sent {
  readonly url: string;
  readonly token: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** An address of loopback. Default: the system's choice. */
  readonly from?: string;
  /** Default: a new connection. */
  readonly agent?: Agent;
}

export interface Got {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A response that takes longer, in milliseconds, is lost. */
const LOST_MS = 15_000;

export function send({ url, token, method = 'GET', body, from, agent }: Sent): Promise<Got> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const common = { method, headers, agent: agent ?? false, timeout: LOST_MS };
    const sent = request(url, from === undefined ? common : { ...common, localAddress: from }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
      });
      response.on('error', lost);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    const lost = (error: Error) => resolve({ status: 0, headers: {}, text: error.message });
    sent.on('timeout', () => sent.destroy(new Error(`no response in ${LOST_MS} ms`))).on('error', lost);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
