/** Owns the chunk: as many plants of an import's input as are stored together, and the lines that are none. */
import { type PlantColumns, PlantColumnsBuilder } from '../plants/plant-columns.ts';

/** A line that is not a valid plant, and why. Lines count from 1. */
export interface Refusal {
  readonly line: number;
  readonly reason: string;
}

/** Where in the input the next chunk begins. */
export interface Position {
  readonly byte: number;
  readonly line: number;
  /** SHA-256 of all bytes before, where it is known. */
  readonly digest: string | undefined;
}

export interface Chunk {
  /** Good until the next chunk but one is asked for. */
  readonly plants: PlantColumns;
  /** The line of each plant. */
  readonly lines: Float64Array;
  readonly refusals: readonly Refusal[];
  readonly end: Position;
}

/** Plants of a chunk. With random ids, more is better: those of one page of the file are then stored together. */
const MOST_PLANTS = 100_000;
/** Bytes of a chunk's text, which bound the memory that long names and reasons can take. */
const MOST_BYTES = 3 * 2 ** 20;

/** What one more block of an input can add before a chunk is asked whether it is full. */
const MOST_BLOCK = 2 ** 14;

export class ChunkBuilder {
  #plants = new PlantColumnsBuilder(MOST_PLANTS + MOST_BLOCK, MOST_BYTES + MOST_BLOCK);
  /** In two sets by turns, as the plants' columns are. */
  #lines = new Float64Array(MOST_PLANTS + MOST_BLOCK);
  #nextLines = new Float64Array(MOST_PLANTS + MOST_BLOCK);
  #refusals: Refusal[] = [];
  #reasons = 0;

  add(line: number, id: bigint, name: string, tag: string | undefined): void {
    if (this.#plants.length === this.#lines.length) {
      const lines = this.#lines;
      this.#lines = new Float64Array(2 * lines.length);
      this.#lines.set(lines);
    }
    this.#lines[this.#plants.length] = line;
    this.#plants.add(id, name, tag);
  }

  refuse(line: number, reason: string): void {
    this.#refusals.push({ line, reason });
    this.#reasons += reason.length;
  }

  get isFull(): boolean {
    return (
      this.#plants.length + this.#refusals.length >= MOST_PLANTS || this.#plants.bytes + this.#reasons >= MOST_BYTES
    );
  }

  get isEmpty(): boolean {
    return this.#plants.length + this.#refusals.length === 0;
  }

  /** What was added since the last chunk, which ends at `end`. */
  take(end: Position): Chunk {
    const chunk = { plants: this.#plants.take(), lines: this.#lines, refusals: this.#refusals, end };
    [this.#lines, this.#nextLines] = [this.#nextLines, this.#lines];
    this.#refusals = [];
    this.#reasons = 0;
    return chunk;
  }
}
