/** A test of a newcomer's way from nothing to a result, in a fixed number of named steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

export type TakeStep = <Result>(title: string, action: () => Result | Promise<Result>) => Promise<Result>;

/** Fails unless there are exactly `length` steps. Add a step only with a reason: it costs every newcomer time. */
export function walk(who: string, length: number, take: (step: TakeStep) => Promise<void>): void {
  test(`${who}, in ${length} steps`, async () => {
    let taken = 0;
    await take(async (title, action) => {
      taken++;
      try {
        return await action();
      } catch (cause) {
        throw new Error(`step ${taken}: ${title}`, { cause });
      }
    });
    assert.equal(taken, length);
  });
}
