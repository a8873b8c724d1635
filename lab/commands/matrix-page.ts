/** A table of results with coloured cells, as one HTML page without scripts and without references to other files. */

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

/** The text of the document. `body` is HTML. */
export function matrixPage(title: string, heading: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(heading)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** A table whose rows begin with what happened. `head` is the title of that column; `titles` are those of the others. */
export function matrix(label: string, head: string, titles: readonly string[], rows: readonly string[]): string {
  const heads = [head, ...titles].map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('');
  return table(label, `<tr>${heads}</tr>`, rows);
}

/** `does` explains the name. `cells` are made by `cell`. */
export function row(name: string, does: string, cells: readonly string[]): string {
  return `<tr><th scope="row">${escapeHtml(name)}<small>${escapeHtml(does)}</small></th>${cells.join('')}</tr>`;
}

/** `details` are shown in small letters below the text. */
export function cell(colour: Colour, text: string, details: readonly string[] = []): string {
  const small = details.map((one) => `<small>${escapeHtml(one)}</small>`).join('');
  return `<td class="${colour}">${escapeHtml(text)}${small}</td>`;
}

/** A table that scrolls sideways, also by keyboard. `head` and `rows` are HTML. */
export function table(label: string, head: string, rows: readonly string[]): string {
  const name = escapeHtml(label);
  return `<div class="scroll" role="region" aria-label="${name}" tabindex="0">
<table><caption>${name}</caption><thead>${head}</thead><tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
}
