/** Plants as JSON text with exact ids, as a snapshot holds them. JSON.parse alone makes an id a double. */
import type { PlantId } from './plant.ts';

declare global {
  /** TypeScript 5.9 has no types for these (ECMAScript 2026). */
  interface JSON {
    /** The reviver gets the source text of each number. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    /** Makes JSON.stringify write this text. */
    rawJSON(text: string): unknown;
  }
}

const INTEGER = /^-?\d+$/;

/** Reads an array of plants that `writePlants` or a database wrote. */
export function readPlants<Row extends { readonly id: PlantId }>(text: string): readonly Row[] {
  const exact = (_key: string, value: unknown, { source = '' }: { readonly source?: string }) =>
    typeof value === 'number' && INTEGER.test(source) ? BigInt(source) : value;
  return JSON.parse(text, exact) as readonly Row[];
}

export function writePlants(plants: readonly { readonly id: PlantId }[]): string {
  return JSON.stringify(plants, (_key, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
}
