/**
 * What a store may hold. Only the stores of sandboxes have a quota. Only a store with a quota can be reset, saved and
 * removed, since these writes lock the row of the quota.
 */

/** The write would exceed the quota of its store. It changed nothing. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  readonly limited: 'plants' | 'bytes';
  readonly most: number;

  constructor(limited: 'plants' | 'bytes', most: number) {
    super(`the store may hold ${most} ${limited}`);
    this.limited = limited;
    this.most = most;
  }
}
