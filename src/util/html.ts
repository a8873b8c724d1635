/** HTML and SVG from templates. Every value is escaped. Markup is the exception: only `markup` and `html` make it. */

/** Markup that may be part of a page. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** What a template can contain. An empty text stands for nothing. */
export type Part = Html | string | number | readonly Part[];

/** Fills in the values: markup as it is, the items of a list one after another, and everything else escaped. */
export function html(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(texts.map((text, i) => text + (i < values.length ? render(values[i]) : '')).join(''));
}

/** Text that is already markup, for example a page of the guide. Never use it for text that is not ours. */
export const markup = (text: string): Html => new Html(text);

/** The parts, each after the first in a line of its own. */
export const lines = (parts: readonly Part[]): Html => new Html(parts.map(render).join('\n'));

/** Only the class makes markup, whatever the type of a value is: a value that was read from a file is escaped. */
function render(value: unknown): string {
  if (value instanceof Html) return value.toString();
  return Array.isArray(value) ? value.map(render).join('') : escapeText(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe between tags, and in attributes in quotes. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
}
