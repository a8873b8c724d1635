/** Owns answers to what is asked again before anything has changed: a page of plants is then neither read nor written. */
import type { Reply } from './reply.ts';
import { SHORT } from './unread.ts';

/** Where the answer to one question is kept. */
interface Place {
  /** What was answered before, if it was kept. */
  readonly reply: Reply | undefined;
  /** Takes what is answered now; it is dropped where something has changed since the place was asked for. */
  keep(reply: Reply): void;
}

/** How many questions are remembered: pages that many callers ask for again and again. Answers take 2 MB at most. */
const MOST = 16;

/** `revision` tells what reads see from now on: where it is the same twice, so is what was read in between. */
export function createReplyCache(revision: () => number): (question: string) => Place {
  let seen: number | undefined;
  let replies = new Map<string, Reply | undefined>();
  return (question) => {
    const now = revision();
    if (now !== seen) {
      seen = now;
      // A new map instead of clearing this one: a request that began before may still keep its outdated answer there.
      replies = new Map();
    }
    const current = replies;
    // An answer is kept when it is asked for a second time: whoever walks through all pages asks for each only once, and
    // keeping those would fill the old generation of V8's heap.
    const again = current.has(question);
    if (!again) {
      const [oldest] = current.size < MOST ? [] : current.keys();
      if (oldest !== undefined) current.delete(oldest);
      current.set(question, undefined);
    }
    return {
      reply: current.get(question),
      keep(reply) {
        if (again && current.has(question) && Buffer.byteLength(reply.body ?? '') <= SHORT)
          current.set(question, reply);
      },
    };
  };
}
