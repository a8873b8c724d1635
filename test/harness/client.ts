/** A client on real sockets. It compares every response with the description. */
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { types } from 'node:util';
import { checkAlways, checkResponse } from './contract.ts';
import { parseExact, toJson } from './exact-json.ts';

export { parseExact, toJson };

export interface ClientResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parses the body, with integers beyond 2^53 as bigint. */
  json(): unknown;
}

/** Returns the error number of a response, which must be a Problem. */
export function errorOf(response: Pick<ClientResponse, 'status' | 'text' | 'json'>): number {
  assert.ok(response.status >= 400, `${response.status} ${response.text.slice(0, 300)}`);
  return (response.json() as { error: number }).error;
}

export interface Call {
  /** Sent as `Authorization: Bearer …`. Default: the client's token; null sends none. */
  readonly token?: string | null;
  /** Header fields. They override those that the client sets; undefined removes a field. */
  readonly headers?: OutgoingHttpHeaders;
  /** Text and bytes are sent unchanged, anything else as JSON with exact bigint. Default type: application/json. */
  readonly body?: unknown;
  /** Sends the body chunked, in these pieces. */
  readonly chunks?: readonly (string | Uint8Array)[];
  /** Whether a fault may make the response leave the description. Default: false. */
  readonly mayLeaveDescription?: boolean;
}

/** The token of every demo is public, and messages name it. */
const PUBLIC_TOKEN = 'demo';

export interface Client {
  readonly url: string;
  readonly token: string;
  send(method: string, target: string, call?: Call): Promise<ClientResponse>;
  /** Closes all connections. The next request opens a new one. */
  close(): void;
}

/** `url` may have a prefix. Every target is appended to it. `log`: the log of the service. */
export function createClient(url: string, token: string, log = () => ''): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const { hostname, port, pathname } = new URL(url);
  const prefix = pathname === '/' ? '' : pathname;
  return {
    url,
    token,
    async send(method, target, call = {}) {
      const path = prefix + target;
      const response = await new Promise<ClientResponse>((resolve, reject) => {
        const credential = call.token === undefined ? token : call.token;
        const body = call.chunks === undefined ? encode(call.body) : undefined;
        const headers: OutgoingHttpHeaders = {
          ...(credential === null ? {} : { Authorization: `Bearer ${credential}` }),
          ...(body === undefined && call.chunks === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
          ...call.headers,
        };
        for (const [name, value] of Object.entries(headers)) if (value === undefined) delete headers[name];
        const outgoing = request({ agent, hostname, port, method, path, headers }, (response) => {
          text(response).then((content) => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: content,
              json: () => parseExact(content),
            });
          }, reject);
        });
        outgoing.on('error', reject);
        for (const chunk of call.chunks ?? []) outgoing.write(chunk);
        outgoing.end(body);
      });
      const isSecret = token !== '' && token !== PUBLIC_TOKEN;
      assert.ok(!(isSecret && response.text.includes(token)), 'a token in a response');
      if (call.mayLeaveDescription) checkAlways(method, path, response);
      else checkResponse(method, path, response, prefix, log);
      return response;
    },
    close: () => agent.destroy(),
  };
}

function encode(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (types.isUint8Array(body)) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : toJson(body));
}
