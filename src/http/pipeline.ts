/** Turns a request into its response: every check in order, then the operation. */
import type { Credential } from '../auth/credential.ts';
import type { AnyResult } from '../contract/operation.ts';
import { Problem, retryLater, StoreFailure, type StoreFailureReason } from '../errors.ts';
import type { Logger } from '../observe/log.ts';
import { hangUp } from './connections/hang-up.ts';
import {
  type AnyInput,
  type Authenticated,
  ClientGone,
  type Exchange,
  type Finishable,
  type Match,
  type Matched,
} from './exchange.ts';
import { dropBody } from './read-input.ts';
import { logFields, requireWellFormed } from './request.ts';
import { problemResponse, type Response } from './response.ts';
import type { Page } from './router.ts';

/**
 * The stages of a request. Each can be wrapped on its own. All except the last two may throw a Problem, which becomes
 * the response.
 */
export interface Steps {
  /** Finds the operation or the page: 404, 405. */
  route(exchange: Exchange): Match | Page;
  /** Reads Authorization and finds the credential of its token: 401. */
  authenticate(exchange: Matched): Credential | Promise<Credential>;
  /** Requires every scope that the operation needs: 403. */
  authorize(exchange: Authenticated): void;
  /**
   * Counts the request against the rate limit of its credential, if it has one: 429. It follows the scopes, so that
   * only the token's holder can use the limit up. It comes before the input, so that a wrong request counts.
   */
  limitRate(exchange: Matched): void | Promise<void>;
  /** Reads the parameters, then the body, as the description declares them: 400. */
  readInput(exchange: Matched): AnyInput | Promise<AnyInput>;
  /** Calls the operation's handler for the credential's store. */
  perform(exchange: Matched, input: AnyInput): AnyResult | Promise<AnyResult>;
  /** Turns a result into a response. The declared schema writes its body. */
  encode(exchange: Matched, result: AnyResult): Response | Promise<Response>;
  /** Adds the last fields to every response: CORS, X-Request-Id, Content-Length. */
  finish(exchange: Finishable, response: Response): Response;
  write(exchange: Exchange, response: Response): void | Promise<void>;
}

/** Sees every response before it is written, and changes nothing. The access log and the metrics are observers. */
export type Observe = (exchange: Finishable, response: Response) => void;

/** The step `limitRate` of a service without a limit. No function of service.ts runs for each request. */
export const unlimited: Steps['limitRate'] = () => undefined;

/** Whether a request asks for a longer page than its operation returns by default. Only few clients need such pages. */
function asksForLongPage({ operation }: Matched, { parameters }: AnyInput): boolean {
  const limit = operation.parameters.find(({ name }) => name === 'limit');
  return Number(parameters['limit']) > Number(limit?.fallback);
}

export const perform: Steps['perform'] = (exchange, input) => {
  const { handler, contextOf } = exchange.match;
  if (exchange.hasLeft && asksForLongPage(exchange, input)) throw new ClientGone();
  return handler(input, contextOf(exchange));
};

export interface PipelineParts {
  readonly steps: Steps;
  readonly observers: readonly Observe[];
  readonly log: Logger;
}

export interface Pipeline {
  /** Responds to a request. Never rejects. */
  respond(exchange: Exchange): Promise<void>;
  /** Finishes a response that the connection writes itself, and calls the observers. Undefined after an error. */
  finish(exchange: Finishable, response: Response): Response | undefined;
}

export function createPipeline({ steps, observers, log }: PipelineParts): Pipeline {
  const responseTo = async (exchange: Exchange): Promise<Response> => {
    requireWellFormed(exchange); // 400
    const found = steps.route(exchange); // 404, 405
    if (typeof found === 'function') return found(exchange);
    exchange.setMatch(found);
    if (found.operation.scopes !== undefined) {
      exchange.setCredential(await steps.authenticate(exchange)); // 401
      steps.authorize(exchange); // 403
    }
    await steps.limitRate(exchange); // 429
    const input = await steps.readInput(exchange); // 400
    return steps.encode(exchange, await steps.perform(exchange, input)); // 400, 404, 412, 503
  };
  const finish = (exchange: Finishable, response: Response) => {
    const finished = steps.finish(exchange, response);
    for (const observe of observers) observe(exchange, finished);
    return finished;
  };
  const finishAndWrite = async (exchange: Exchange, response: Response) =>
    steps.write(exchange, finish(exchange, response));
  /** The Problem for an error. Logs an error that only a bug can cause. */
  const logAndExplain = (error: unknown, { request, id }: Finishable): Problem => {
    if (error instanceof Problem) return error;
    if (error instanceof StoreFailure) return storeProblem(error);
    log.error({ ...logFields(request, id), err: error }, 'a request failed');
    return new Problem(50000, 'The service failed. Search its log for the X-Request-Id of this response.');
  };

  const respond = async (exchange: Exchange) => {
    let response: Response;
    try {
      response = await responseTo(exchange);
    } catch (error) {
      if (error instanceof ClientGone) {
        // The client may have closed only its side.
        hangUp(exchange.request.socket);
        return;
      }
      response = problemResponse(logAndExplain(error, exchange));
    }
    // A client that has its response may send its next request together with the rest of its body. After a request with
    // an upgrade, Node would drop that request (node-internals.ts). An expectation needs a response before the body.
    const { upgrade, expect } = exchange.request.headers;
    if (upgrade !== undefined && expect === undefined) await dropBody(exchange.request);
    // The connection may have ended meanwhile, because the rest of the request was malformed.
    if (exchange.request.socket.writableEnded) return;
    try {
      await finishAndWrite(exchange, response);
    } catch (error) {
      // A stream failed, or a header field is not valid in HTTP. A response must not end the process.
      const failed = problemResponse(logAndExplain(error, exchange));
      const { outgoing, request } = exchange;
      if (outgoing.headersSent) request.socket.destroy();
      else await finishAndWrite(exchange, failed).catch(() => request.socket.destroy());
    }
  };

  return {
    respond,
    finish(exchange, response) {
      try {
        return finish(exchange, response);
      } catch (error) {
        logAndExplain(error, exchange);
        return undefined;
      }
    },
  };
}

/** Retry-After, in seconds, for a failure that an operator must fix. */
const LASTING_S = 60;
const STORE_PROBLEMS = {
  unreachable: { code: 50300, what: 'cannot be reached', seconds: 1 },
  overloaded: { code: 50301, what: 'is overloaded', seconds: 1 },
  out_of_space: { code: 50302, what: 'is out of space', seconds: 10 },
} as const satisfies Record<StoreFailureReason, object>;

function storeProblem(failure: StoreFailure): Problem {
  const { code, what, seconds } = STORE_PROBLEMS[failure.reason];
  return retryLater(code, `The store ${what}`, failure.lasting ? LASTING_S : seconds, failure);
}
