/** The disk space that plants take, for quotas. */

/** Bytes of a row besides its texts: keys, version, and a share of the empty space in pages. */
const ROW = 200;
/** SQLite moves most of a longer row to separate pages. */
const LONGEST_IN_PAGE = 900;
/** The most bytes that stay empty in the last of these pages. */
const PAGE = 4_096;

/** The most bytes that a plant takes in a database file. */
export function plantSize({ name, tag }: { readonly name: string; readonly tag?: string | null | undefined }): number {
  return sizeOf(Buffer.byteLength(name), tag == null ? undefined : Buffer.byteLength(tag));
}

/** Like `plantSize`, from the bytes of a name and a tag. `tag`: undefined for a plant without a tag. */
export function sizeOf(name: number, tag: number | undefined): number {
  // The index by tag holds the tag once more.
  return ROW + entrySize(name + (tag ?? 0)) + (tag === undefined ? 0 : entrySize(tag));
}

function entrySize(bytes: number): number {
  return bytes > LONGEST_IN_PAGE ? bytes + PAGE : Math.ceil(bytes * 1.5);
}

/** The number of plants, and the bytes that they take. */
export interface Amount {
  readonly plants: number;
  readonly bytes: number;
}

export function amountOf(plants: readonly Parameters<typeof plantSize>[0][]): Amount {
  return { plants: plants.length, bytes: plants.reduce((sum, plant) => sum + plantSize(plant), 0) };
}
