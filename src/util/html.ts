/** Makes HTML and SVG from templates. A template escapes every value except markup, which `markup` and `html` make. */
import { printableLines } from './printable.ts';

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

export const lines = (parts: readonly Part[]): Html => new Html(parts.map(render).join('\n'));

/** Checks the class and not the type: a value that was read from a file may have any type, and is escaped. */
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

/** The result is safe between tags, in quoted attributes, and at a terminal. HTML forbids control characters too. */
function escapeText(text: string): string {
  return printableLines(text.replaceAll('\t', ' ')).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
}
