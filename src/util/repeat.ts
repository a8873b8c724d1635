/** Does work again and again, with a pause after each time. */

export interface Repetition {
  /** Does the work once more, now. Never rejects. */
  now(): Promise<void>;
  /** Ends the repetition, but not the work that is under way. */
  close(): void;
}

/** `closed`: aborted by `close`. `report` gets the first error of several failures in a row. */
export function repeat(
  pause: number,
  work: (closed: AbortSignal) => Promise<void>,
  report: (error: unknown) => void,
): Repetition {
  const closing = new AbortController();
  const { signal } = closing;
  let isFailing = false;
  const now = async () => {
    try {
      await work(signal);
      isFailing = false;
    } catch (error) {
      if (!isFailing && !signal.aborted) report(error);
      isFailing = true;
    }
  };
  const timer = setTimeout(async () => {
    await now();
    if (!signal.aborted) timer.refresh();
  }, pause).unref();
  return {
    now,
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}
