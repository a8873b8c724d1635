/**
 * Makes the guide from the pages in docs that have a comment such as `<!-- guide: Grade 40 -->`: the group of the
 * page, and its place in the group. `, under defects` behind the number lists the page only near the page `defects`.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';
import { html } from '../../src/util/html.ts';
import { coloured } from './colours.ts';

/** The groups in their order. */
const GROUPS = ['Start', 'Use the API', 'Break it', 'Grade', 'Run it', 'Lessons'];
const PLACE = /^<!-- guide: ([\w ]+) (\d+)(?:, under ([\w-]+))? -->$/m;

/**
 * A part between `<!-- own -->` and `<!-- /own -->` is only for readers whose own machine runs the service. A comment
 * that begins with the line `<!-- shared` has the text for all other readers. GitHub shows only the first part.
 */
const SHARED = /<!-- shared\n(.*?)\n-->/gs;
const NOTE = /<!-- (?!\/?(?:own|shared) -->).*-->\n/g;

marked.use(gfmHeadingId(), {
  renderer: {
    code({ text, lang = '' }) {
      const code = coloured(text, lang);
      return code === undefined ? false : `<pre><code class="language-${lang}">${code}\n</code></pre>\n`;
    },
    // A browser may break a line behind each hyphen, even behind those with which an option begins.
    codespan({ text }) {
      return `${html`<code>${text}</code>`}`.replaceAll(/--[a-z][a-z-]*/g, '<span class="option">$&</span>');
    },
  },
});

/** `generated`: pages that are made in this run, by their paths. */
export function guide(generated: Readonly<Record<string, string>>): string {
  const pages = globSync('docs/**/*.md')
    .map((path) => ({ path, text: generated[path] ?? readFileSync(path, 'utf8') }))
    .filter(({ text }) => PLACE.test(text))
    .map(pageOf)
    .sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || a.order - b.order);
  return `${JSON.stringify(
    pages.map(({ group, slug, under, title, html }) => ({ group, slug, under, title, html })),
    null,
    2,
  )}\n`;
}

function pageOf({ path, text }: { readonly path: string; readonly text: string }) {
  const [, group = '', order = '', under] = PLACE.exec(text) ?? [];
  if (!GROUPS.includes(group)) throw new Error(`${path}: the guide has only the groups ${GROUPS.join(', ')}`);
  // Without its end, such a part would be shown to all readers.
  if (text.split('<!-- own -->').length !== text.split('<!-- /own -->').length) {
    throw new Error(`${path}: each <!-- own --> needs a <!-- /own -->`);
  }
  const title = /^# (.+)$/m.exec(text)?.[1];
  const content = marked
    .parse(text.replaceAll(SHARED, '<!-- shared -->\n$1\n<!-- /shared -->').replaceAll(NOTE, ''), { async: false })
    // In the repository a link leads to a file. In the guide all pages are in one folder.
    .replaceAll(/href="(?:[\w./-]+\/)?([\w-]+)\.md(?=["#])/g, 'href="$1')
    // Wide tables and examples scroll, also by keyboard, so that the page does not.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { group, order: Number(order), slug: basename(path, '.md'), under, title, html: content };
}
