/** JSON with exact ids: JavaScript's numbers are exact only up to 2^53. */
import type { NewPlant, Plant } from './plants.ts';

/** Parses JSON. An id that a number cannot hold becomes a BigInt. */
export function parseJson(text: string): unknown {
  const value = JSON.parse(text);
  const id: unknown = value?.id;
  return typeof id === 'number' && !Number.isSafeInteger(id) ? JSON.parse(text, toBigInt) : value;
}

const toBigInt = ((key: string, value: unknown, { source }: { readonly source?: string }) =>
  key === 'id' && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value) as (
  key: string,
  value: unknown,
) => unknown;

/** Returns the int64 for a member of a body or a path, or undefined if it is none. */
export function toId(value: unknown): bigint | undefined {
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'bigint') return undefined;
  const id = BigInt(value as number | bigint);
  return BigInt.asIntN(64, id) === id ? id : undefined;
}

export function newPlantJson({ name, tag }: NewPlant): string {
  return JSON.stringify({ name, tag });
}

export function plantJson({ id, name, tag }: Plant): string {
  const rest = tag === undefined ? '' : `,"tag":${JSON.stringify(tag)}`;
  return `{"id":${id},"name":${JSON.stringify(name)}${rest}}`;
}

export function plantsJson(plants: readonly Plant[]): string {
  return `[${plants.map(plantJson).join()}]`;
}
