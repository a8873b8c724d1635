/** The HTML of a page of the guide, inside the frame that page-html.ts draws. */
import { type Html, html, markup } from '../util/html.ts';
import type { GuidePage, Site } from './site.ts';

/** The address of the service in the guide's Markdown. The address of this service replaces it. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';
/** The fields Location and Link in the shown responses, up to the path. */
const SHOWN_FIELD = /(?:Location<\/span><span[^>]*>: <\/span>|Link<\/span><span[^>]*>: <\/span>&lt;)(?=\/plants)/g;
const EXAMPLE_LINK = /href="http:\/\/127\.0\.0\.1:8080\/?/g;

/** The parts for a reader with an own service, and for readers who share a service. */
const OWN = /<!-- own -->.*?<!-- \/own -->\n?/gs;
const SHARED = /<!-- shared -->.*?<!-- \/shared -->\n?/gs;

/** `root` is the beginning of every link to this service. */
export function guideMain(page: GuidePage, site: Site, root: string): Html {
  const { base, token, panel } = site;
  const text = textOf(page, site, root);
  return html`<div class="guide">
<div class="menus">
<button type="button" popovertarget="topics">Contents</button>
<button type="button" popovertarget="headings">On this page</button>
</div>
<nav id="topics" popover aria-label="Guide">${topics(page, site, root)}</nav>
<main id="text" tabindex="-1" data-example="${base === '' ? EXAMPLE_URL : ''}" data-token="${token ?? ''}">\
${needsToken(page, token) ? offer(panel !== undefined, root) : ''}${markup(text)}
${neighbours(page, site, root)}</main>
<nav id="headings" popover aria-label="On this page">${headings(page, text)}</nav>
</div>`;
}

/** The pages by group. A page that belongs under another page is listed only near that page. */
function topics(page: GuidePage, { guide }: Site, root: string): Html {
  const near = [page.slug, page.under];
  const item = (one: GuidePage) => {
    const link = html`<a href="${root}/guide/${one.slug}"${mark(one === page)}>${one.title}</a>`;
    return one.under === undefined ? html`<li>${link}</li>` : html`<li class="under">${link}</li>`;
  };
  const lists = [...Map.groupBy(guide, ({ group }) => group)].map(([group, pages]) => {
    const listed = pages.filter(({ under }) => under === undefined || near.includes(under));
    return html`<p>${group}</p><ol aria-label="${group}">${listed.map(item)}</ol>`;
  });
  return html`<input type="search" id="search" placeholder="Search the guide" aria-label="Search the guide" \
data-index="${root}/guide/search.json" hidden>
<ol id="found" aria-label="Found sections" hidden></ol>
<div id="pages">${lists}</div>`;
}

function headings({ title }: GuidePage, text: string): Html {
  const found = [...text.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/gs)];
  const items = found.map(([, id = '', heading = '']) => {
    const words = markup(heading.replaceAll(/<\/?a\b[^>]*>/g, ''));
    return html`<li><a href="#${id}">${words}</a></li>`;
  });
  return html`<p>On this page</p><ol><li><a href="#text">${title}</a></li>${items}</ol>`;
}

function neighbours(page: GuidePage, { guide }: Site, root: string): Html {
  const place = guide.indexOf(page);
  const link = (one: GuidePage | undefined, rel: 'prev' | 'next', word: string) =>
    one === undefined
      ? html``
      : html`<a rel="${rel}" href="${root}/guide/${one.slug}"><small>${word}</small> ${one.title}</a>`;
  return html`<nav class="neighbours" aria-label="Previous and next page">\
${link(guide[place - 1], 'prev', 'Previous')}${link(guide[place + 1], 'next', 'Next')}</nav>`;
}

/** The text for this service: its address in all links and examples, and only the parts for its readers. */
function textOf(page: GuidePage, { base, isOwn }: Site, root: string): string {
  return (
    partsFor(page, isOwn)
      // A link also leads to this service if the reader's browser runs no scripts.
      .replaceAll(EXAMPLE_LINK, () => html`href="${root}/`.toString())
      .replaceAll(EXAMPLE_URL, () => html`${base || EXAMPLE_URL}`.toString())
      // With a base URL, these fields contain it.
      .replaceAll(SHOWN_FIELD, (field) => field + html`${base}`.toString())
  );
}

/** The HTML of a page without the parts for other readers. */
export function partsFor({ html }: GuidePage, isOwn: boolean): string {
  return html.replaceAll(isOwn ? SHARED : OWN, '').replaceAll(/<!-- \/?(?:own|shared) -->\n?/g, '');
}

/** In a demo the examples of the guide work as they are. */
function needsToken({ html }: GuidePage, token: string | undefined): boolean {
  return token === undefined && /Bearer demo|TOKEN=demo|bearer\('demo'\)/.test(html);
}

/** guide.js shows it if this tab has no token. */
function offer(offersSandbox: boolean, root: string): Html {
  return offersSandbox
    ? html`<aside id="offer" hidden><p>The examples on this page need a sandbox, and this tab has none. A sandbox is \
a private store with about 50 plants. Its token then stands in all examples.</p>
<button type="button" data-sandboxes="${root}/sandboxes">Create a sandbox</button></aside>\n`
    : html`<aside id="offer" hidden><p>The examples on this page have the token of a demo, and this service is no \
demo. Paste a token of this service into <em>Authentication</em> on <a href="${root}/">the first page</a>. It then \
stands in all examples.</p></aside>\n`;
}

export function mark(isCurrent: boolean): Html {
  return isCurrent ? html` aria-current="page"` : html``;
}
