/** A table of results with coloured cells, as one HTML page without scripts and without references to other files. */
import { type Html, html, lines, markup } from '../../src/util/html.ts';

const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1b1b, #e8e8e8);
  --small: light-dark(#3d3d3d, #c6c6c6);
  --back: light-dark(#fff, #16181a);
  --head: light-dark(#f3f3f3, #24282c);
  --line: light-dark(#8a8a8a, #6b7178);
}
body { margin: 2rem; color: var(--text); background: var(--back); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 75rem; margin-inline: auto; }
h1, h2, h3 { line-height: 1.2; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 3px solid light-dark(#1a5fb4, #8ab8f5); outline-offset: 2px; }
.score { font-size: 1.25rem; font-weight: 600; }
table { border-collapse: collapse; width: 100%; margin-block: 1rem; }
caption { text-align: left; font-weight: 600; padding-block: 0.25rem; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
thead th { background: var(--head); overflow-wrap: anywhere; }
tbody th { font-weight: normal; min-width: 9rem; overflow-wrap: anywhere; }
.matrix td { min-width: 7rem; }
.matrix tbody th { min-width: 11rem; width: 24rem; }
td small, th small { display: block; color: var(--small); }
td.good { background: light-dark(#c5e8c9, #1d4a26); }
td.fair { background: light-dark(#fbeeb8, #564710); }
td.bad { background: light-dark(#f7cfc9, #652720); }
td.none { background: light-dark(#ececec, #2b2f33); }
@media (max-width: 40rem) {
  body { margin: 1rem; font-size: 15px; }
  th, td { padding: 0.25rem 0.4rem; }
  tbody th { min-width: 6rem; }
  .matrix tbody th { min-width: 9rem; width: auto; }
}
code { overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; }
  body { margin: 0; font-size: 9pt; }
  .scroll { overflow: visible; }
  td { print-color-adjust: exact; }
  tr { break-inside: avoid; }
}
`;

/** The titles of results. Equal titles also have their files, so that a reader can tell the results apart. */
export const distinguish = (titles: readonly string[], files: readonly string[]): readonly string[] =>
  titles.map((title, i) => {
    const isUnique = titles.indexOf(title) === titles.lastIndexOf(title);
    return isUnique || files[i] === undefined ? title : `${title} (${files[i]})`;
  });

/** How a result looks. The text of its cell has the same meaning, so that nothing depends on colours. */
export type Colour = 'good' | 'fair' | 'bad' | 'none';

/** The beginning of every page. Any other file is left alone. */
export const PAGE_BEGINNING = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="Plant Store">
`;

/** The text of the document. */
export function matrixPage(title: string, heading: string, body: Html): string {
  return html`${markup(PAGE_BEGINNING)}<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${markup(STYLE)}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`.toString();
}

/** A table whose rows begin with what happened. `head` is the title of that column, and `titles` of the others. */
export function matrix(label: string, head: string, titles: readonly string[], rows: readonly Html[]): Html {
  return table(label, columnHeads([head, ...titles]), rows, 'scroll matrix');
}

/** The row with the titles of the columns. */
export const columnHeads = (titles: readonly string[]): Html =>
  html`<tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr>`;

/** `does` explains the name. `cells` are made by `cell`. */
export function row(name: string, does: string, cells: readonly Html[]): Html {
  return html`<tr><th scope="row">${name}<small>${does}</small></th>${cells}</tr>`;
}

/** `details` are shown in small letters below the text. */
export function cell(colour: Colour, text: string, details: readonly string[] = []): Html {
  return html`<td class="${colour}">${text}${details.map((one) => html`<small>${one}</small>`)}</td>`;
}

/** A table that scrolls sideways, also by keyboard. */
export function table(label: string, head: Html, rows: readonly Html[], kind = 'scroll'): Html {
  return html`<div class="${kind}" role="region" aria-label="${label}" tabindex="0">
<table><caption>${label}</caption><thead>${head}</thead><tbody>
${lines(rows)}
</tbody></table></div>`;
}
