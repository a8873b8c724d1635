/** Marks the words of an example for the colours in guide.css, so that the browser needs no script for them. */
import { createRequire } from 'node:module';

/** The part of highlight.js that we use. Its own types would declare the types of a browser for the whole project. */
interface Highlighter {
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
  registerLanguage(name: string, language: unknown): void;
}

const load = createRequire(import.meta.url);
const highlight: Highlighter = load('highlight.js/lib/common');
highlight.registerLanguage('http', load('highlight.js/lib/languages/http'));

const LANGUAGES = ['sh', 'go', 'http', 'js', 'json', 'python', 'ts', 'html', 'yaml'];

/** guide.js replaces these words in the text. They must not be parted by the tag of a colour. */
const REPLACED = ['http://127.0.0.1:8080', 'Bearer demo', 'TOKEN=demo', "bearer('demo')"];
const BEARER = /<span[^>]*>bearer<\/span>\(<span[^>]*>&#x27;demo&#x27;<\/span>\)/g;

/** The HTML of an example, or undefined if its language has no colours. */
export function coloured(code: string, language: string): string | undefined {
  if (!LANGUAGES.includes(language)) return undefined;
  const html = highlight.highlight(code, { language }).value.replaceAll(BEARER, "bearer('demo')");
  for (const word of REPLACED) {
    if (code.split(word).length !== html.split(word).length) throw new Error(`a colour parts "${word}" in:\n${code}`);
  }
  return html;
}
