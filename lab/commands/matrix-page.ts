/** A table of results with coloured cells, as one HTML page without scripts and without references to other files. */
import { type Html, html, lines, markup } from '../../src/util/html.ts';

const STYLE = `
body { margin: 2rem; color: #1b1b1b; background: #fff; font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 3px solid #1a5fb4; outline-offset: 2px; }
table { border-collapse: collapse; margin-block: 1rem; }
th, td { border: 1px solid #8a8a8a; padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
thead th { background: #f3f3f3; }
tbody th { font-weight: normal; min-width: 14rem; }
td { min-width: 7rem; }
td small, th small { display: block; color: #3d3d3d; }
td.good { background: #c5e8c9; }
td.fair { background: #fbeeb8; }
td.bad { background: #f7cfc9; }
td.none { background: #ececec; }
code { overflow-wrap: anywhere; }
@media print {
  body { margin: 0; font-size: 9pt; }
  .scroll { overflow: visible; }
  td { print-color-adjust: exact; }
  tr { break-inside: avoid; }
}
`;

/** How a result looks. The text of its cell has the same meaning, so that nothing depends on colours. */
export type Colour = 'good' | 'fair' | 'bad' | 'none';

/** The text of the document. */
export function matrixPage(title: string, heading: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
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
  return table(label, columnHeads([head, ...titles]), rows);
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
export function table(label: string, head: Html, rows: readonly Html[]): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">
<table><caption>${label}</caption><thead>${head}</thead><tbody>
${lines(rows)}
</tbody></table></div>`;
}
