/** What a store may hold. Most stores have no quota (`hasQuota`). */
export interface Quota {
  readonly plants: number;
  /** The bytes that the plants take (`plantSize`). */
  readonly bytes: number;
  /** How many events are kept. Older events are deleted. */
  readonly events: number;
}

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
