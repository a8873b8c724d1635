/** The errors that faults send: with the number and the header fields that the service itself uses for their status. */
import { REALM } from '../../../auth/credential.ts';
import type { Operation } from '../../../contract/operation.ts';
import { type ErrorCode, Problem } from '../../../errors.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { hasPlant } from './other-client.ts';

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 40006,
  401: 40101,
  403: 40300,
  404: 40401,
  410: 41000,
  412: 41200,
  429: 42900,
  500: 50000,
  503: 50300,
};
/** The number of a 404 if the operation has no plant. */
const NO_WEBHOOK = 40403;
const RETRY = { 'Retry-After': '1' };

/** `order`: whether the request was carried out, for the message. */
export function requestedProblem(status: number, order: string, { operation }: Pick<Exchange, 'operation'>): Problem {
  const scopes = operation?.scopes ?? [];
  const headers: Readonly<Record<number, Readonly<Record<string, string>>>> = {
    401: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
    403: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    429: RETRY,
    503: RETRY,
  };
  const message = `This sandbox was told to respond with ${status}. The request ${order}.`;
  const isForWebhook = operation !== undefined && !hasPlant(operation);
  const code = status === 404 && isForWebhook ? NO_WEBHOOK : (CODES[status] ?? 50000);
  return new Problem(code, message, headers[status]);
}

/** The Problem of an operation that is not carried out, because its client left during a delay. */
export const leftProblem = () =>
  new Problem(
    50300,
    'The client closed its side of the connection during a delay. The request was not carried out.',
    RETRY,
  );

/** Takes the place of the operation if its response is replaced or lost. The record of requests shows it. */
export const takePlace = (_fault: unknown, exchange: Exchange): Problem =>
  requestedProblem(503, 'was not carried out', exchange);

export function declares({ responses }: Operation, status: number): boolean {
  return Object.hasOwn(responses, status);
}
