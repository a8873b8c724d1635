/** Chooses the form of a response by the Accept field (RFC 9110, 12.5.1). */

/** The forms of the events. The first is the default. */
const FORMS = ['application/json', 'text/event-stream', 'application/jsonl'] as const;
export type Form = (typeof FORMS)[number];

/** The form that the client prefers. A client that accepts none of them gets JSON. */
export function formFor(accept: string | undefined): Form {
  const ranges = (accept ?? '').toLowerCase().split(',').map(rangeOf);
  const weights = FORMS.map((form) => {
    // The most specific range decides.
    const names = [form, `${form.split('/')[0]}/*`, '*/*'];
    return names.map((name) => ranges.find((range) => range.name === name)).find(Boolean)?.weight ?? 0;
  });
  return FORMS[weights.indexOf(Math.max(...weights))] ?? FORMS[0];
}

function rangeOf(item: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
