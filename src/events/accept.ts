/** Chooses the form of a response by the Accept field (RFC 9110, 12.5.1). */

/** The forms of the events. The first is the default. */
export const FORMS = ['application/json', 'text/event-stream', 'application/jsonl'] as const;
export type Form = (typeof FORMS)[number];

/** The form that the client prefers. A client that accepts none of them gets JSON. */
export function formFor(accept: string | undefined): Form {
  const ranges = (accept ?? '').toLowerCase().split(',').map(rangeOf);
  const weights = FORMS.map((form) => {
    const matching = ranges.filter(({ name }) => [form, `${form.split('/')[0]}/*`, '*/*'].includes(name));
    // The most specific range decides, and no range has fewer characters than a less specific one.
    const [best] = matching.toSorted(
      (a, b) => Number(a.name.includes('*')) - Number(b.name.includes('*')) || b.name.length - a.name.length,
    );
    return best?.weight ?? 0;
  });
  return FORMS[weights.indexOf(Math.max(...weights))] ?? FORMS[0];
}

function rangeOf(item: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
