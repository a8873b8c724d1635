/** Owns what an answer is before it is written: a value that every stage of the pipeline can return. */
import type { Problem } from '../errors.ts';

export interface Reply {
  readonly status: number;
  /** Header fields of this answer alone, as a flat list of names and values. */
  readonly headers: readonly string[];
  /** Undefined for an answer without content (204, 304). */
  readonly body: string | Buffer | undefined;
  /** What the body tells, where it is an Error object. */
  readonly problem?: Problem;
}

const JSON_TYPE = ['Content-Type', 'application/json'];
/** Fields of an answer that no cache may keep. */
export const JSON_NO_STORE: readonly string[] = [...JSON_TYPE, 'Cache-Control', 'no-store'];
/** Fields of an answer that its reader may keep and has to revalidate by its entity tag. */
export const JSON_REVALIDATE: readonly string[] = [...JSON_TYPE, 'Cache-Control', 'private, no-cache'];

/** The one shape of everything that fails: the Error object. */
export function problemReply(problem: Problem): Reply {
  return {
    status: problem.status,
    headers: [...JSON_NO_STORE, ...Object.entries(problem.headers).flat()],
    body: JSON.stringify({ error: problem.code, message: problem.message }),
    problem,
  };
}
