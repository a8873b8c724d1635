/** Chooses the media type and the coding of a response by what the client accepts (RFC 9110, 12.5). */

/** The most characters of a field. Browsers send about 150 characters. A longer field counts as absent. */
const MAX_ACCEPT = 1_024;

/** Returns the type that the client prefers. A client that accepts none of the types gets the first. */
export function preferredType<Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...(readonly Type[])],
): Type {
  const ranges = rangesOf(accept);
  const weights = types.map((type) => {
    // The most specific range decides.
    const names = [type, `${type.split('/')[0]}/*`, '*/*'];
    return names.map((name) => ranges.find((range) => range.name === name)).find(Boolean)?.weight ?? 0;
  });
  return types[weights.indexOf(Math.max(...weights))] ?? types[0];
}

export type Coding = 'br' | 'gzip' | 'identity';

/** The best coding that a client accepts. Without the field Accept-Encoding only `identity` is safe. */
export function codingOf(accept: string | undefined): Coding {
  const ranges = rangesOf(accept);
  const rangeFor = (name: string) => ranges.find((range) => range.name === name);
  const accepts = (coding: Coding) => ((rangeFor(coding) ?? rangeFor('*'))?.weight ?? 0) > 0;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

function rangesOf(field: string | undefined): readonly { readonly name: string; readonly weight: number }[] {
  const items = (field === undefined || field.length > MAX_ACCEPT ? '' : field).toLowerCase().split(',');
  return items.map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
    return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
}
