/** A newcomer's way from nothing to a result, as a test: in named steps, whose number is held. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

export type TakeStep = <Result>(title: string, action: () => Result | Promise<Result>) => Promise<Result>;

/** A step more than `length` is a worse first half hour: change the number only with a reason. */
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
