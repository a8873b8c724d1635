/** JSON with exact integers. */

/** Parses JSON, with integers beyond 2^53 as bigint. */
export function parseExact(content: string): unknown {
  return JSON.parse(content, (_key, value: unknown, { source }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
      ? BigInt(source as string)
      : value,
  );
}

/** Writes a value as JSON, with exact bigint. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item));
}
