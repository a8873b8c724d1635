/** Owns many plants in columns: few large buffers, shared between threads and used again, which leave no garbage. */
import type { StoredPlant } from './plant.ts';

export interface PlantColumns {
  readonly length: number;
  readonly ids: BigInt64Array;
  /** Names and tags in UTF-8, one behind the other. */
  readonly text: Uint8Array;
  /** For each plant where its name ends in the text, and where its tag does. */
  readonly ends: Uint32Array;
  /** For each plant 1 when it has a tag. */
  readonly tagged: Uint8Array;
}

/** The plant at a position. */
export function plantAt({ ids, text, ends, tagged }: PlantColumns, at: number): StoredPlant {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const start = at === 0 ? 0 : (ends[2 * at - 1] as number);
  const middle = ends[2 * at] as number;
  const plant = { id: ids[at] as bigint, name: bytes.toString('utf8', start, middle) };
  return tagged[at] === 0 ? plant : { ...plant, tag: bytes.toString('utf8', middle, ends[2 * at + 1]) };
}

/** A UTF-16 unit takes three bytes of UTF-8 at the most. */
const MOST_BYTES_A_UNIT = 3;

interface Buffers {
  readonly ids: BigInt64Array;
  readonly ends: Uint32Array;
  readonly tagged: Uint8Array;
  readonly text: Buffer;
}

/** Builds columns in two sets of buffers by turns: what `take` gave is good until the next `take` and one addition more. */
export class PlantColumnsBuilder {
  #length = 0;
  #bytes = 0;
  #now: Buffers;
  #next: Buffers;

  /** Room for so many plants and so many bytes of text, which grows where that is too little. */
  constructor(plants: number, bytes: number) {
    this.#now = allocate(plants, bytes);
    this.#next = allocate(plants, bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of text. */
  get bytes(): number {
    return this.#bytes;
  }

  add(id: bigint, name: string, tag: string | undefined): void {
    this.#reserve(MOST_BYTES_A_UNIT * (name.length + (tag?.length ?? 0)));
    const at = this.#length++;
    const { ids, ends, tagged, text } = this.#now;
    ids[at] = id;
    this.#bytes += text.write(name, this.#bytes, 'utf8');
    ends[2 * at] = this.#bytes;
    tagged[at] = tag === undefined ? 0 : 1;
    if (tag !== undefined) this.#bytes += text.write(tag, this.#bytes, 'utf8');
    ends[2 * at + 1] = this.#bytes;
  }

  /** What was added since the last time. */
  take(): PlantColumns {
    const { ids, ends, tagged, text } = this.#now;
    const columns = { length: this.#length, ids, ends, tagged, text: new Uint8Array(text.buffer) };
    [this.#now, this.#next] = [this.#next, this.#now];
    this.#length = 0;
    this.#bytes = 0;
    return columns;
  }

  #reserve(bytes: number): void {
    const { ids, ends, tagged, text } = this.#now;
    if (this.#length < ids.length && this.#bytes + bytes <= text.length) return;
    const larger = allocate(Math.max(ids.length, 2 * this.#length), Math.max(text.length, 2 * (this.#bytes + bytes)));
    larger.ids.set(ids);
    larger.ends.set(ends);
    larger.tagged.set(tagged);
    larger.text.set(text);
    this.#now = larger;
  }
}

function allocate(plants: number, bytes: number): Buffers {
  return {
    ids: new BigInt64Array(new SharedArrayBuffer(8 * plants)),
    ends: new Uint32Array(new SharedArrayBuffer(8 * plants)),
    tagged: new Uint8Array(new SharedArrayBuffer(plants)),
    text: Buffer.from(new SharedArrayBuffer(bytes)),
  };
}
