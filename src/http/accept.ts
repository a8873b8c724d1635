/** Chooses the media type of a response by the Accept field (RFC 9110, 12.5.1). */

/** The most characters of the field. Those of browsers have about 150. A longer field counts as absent. */
export const MOST_ACCEPT = 1_024;

/** Returns the type that the client prefers. A client that accepts none of the types gets the first. */
export function preferredType<Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...(readonly Type[])],
): Type {
  const ranges = (accept === undefined || accept.length > MOST_ACCEPT ? '' : accept)
    .toLowerCase()
    .split(',')
    .map(rangeOf);
  const weights = types.map((type) => {
    // The most specific range decides.
    const names = [type, `${type.split('/')[0]}/*`, '*/*'];
    return names.map((name) => ranges.find((range) => range.name === name)).find(Boolean)?.weight ?? 0;
  });
  return types[weights.indexOf(Math.max(...weights))] ?? types[0];
}

function rangeOf(item: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
