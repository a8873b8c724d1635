/** The HTML of the documentation's pages, and the header fields that restrict what a page can do in a browser. */
import type { Headers } from '../http/response.ts';
import { type Html, html, lines, markup } from '../util/html.ts';
import { guideMain, mark } from './guide-html.ts';
import type { GuidePage, Site } from './site.ts';

/** The HTML of a page of the guide, or of the reference if `page` is undefined. */
export function pageHtml(page: GuidePage | undefined, site: Site): string {
  const { guide, assets, base } = site;
  const root = rootOf(base, page === undefined ? '.' : '..');
  const panel = page === undefined ? site.panel : undefined;
  const own = page === undefined ? [assets.reference, assets.referencePage] : [assets.guide, assets.guideSearch];
  const scripts = [...own, assets.copy];
  const styles = [assets.style, ...(page === undefined ? (panel?.styles ?? []) : [assets.guideStyle])];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page === undefined ? '' : `${page.title} – `}Plant Store</title>
<link rel="icon" href="${root}${assets.icon}">
${lines(styles.map((path) => html`<link rel="stylesheet" href="${root}${path}">`))}
<script src="${root}${assets.early}"></script>
${panel === undefined ? '' : html`<script src="${root}${panel.module}" type="module"></script>\n`}\
${lines(scripts.map((path) => html`<script src="${root}${path}" defer></script>`))}
</head>
<body>
${panel === undefined ? '' : html`<a id="skip" href="#sandbox">Skip to your sandbox</a>\n`}\
${page === undefined ? '' : html`<a id="skip" href="#text">Skip to the text</a>\n`}\
<div class="bar">
<nav aria-label="Documentation">
<a class="name" href="${root}/">Plant Store</a>
<a href="${root}/"${mark(page === undefined)}>Reference</a>
<a href="${root}/guide/${guide[0]?.slug ?? ''}"${mark(page !== undefined)}>Guide</a>
</nav>
${panel === undefined ? '' : markup(panel.html)}</div>
${page === undefined ? referenceMain(site, root) : guideMain(page, site, root)}
<p id="said" role="status"></p>
</body>
</html>
`.toString();
}

const NEED_TOKEN = html`You need a token to send requests. <code>plantstore serve</code> prints one at its first \
start, and <code>plantstore token create</code> creates more. Paste it under <em>Authentication</em>.`;

const FILLED_IN = html`<p>Click the button, then <em>Send</em>. The token of this demo is already filled in.</p>`;

/** What a reader loses at a reload if the browser stores nothing. early.js finds out. */
function forgets({ token, panel }: Site): Html {
  const visitors = panel === undefined ? 'the token that you type' : 'your sandbox and its token';
  const lost = token === undefined ? visitors : 'the colours that you choose';
  return html`<p id="forgets">Your browser stores nothing for this page: it blocks the data of sites, or its storage \
is full. The page works, but when you reload or leave it, the page forgets ${lost}.</p>`;
}

function referenceMain(site: Site, root: string): Html {
  const { guide, base, token, panel, events, webhooks } = site;
  const hint = panel === undefined ? NEED_TOKEN : markup(panel.hint);
  const pages = JSON.stringify(guide.map(({ slug, title }) => ({ title, path: `${root}/guide/${slug}` })));
  return html`<section class="start" aria-label="First request">
<p>A small REST API that does exactly what its OpenAPI description says${panel?.promise ?? ''}.
Read it as <a href="${root}/openapi.json">JSON</a> or <a href="${root}/openapi.yaml">YAML</a>.</p>
<pre tabindex="0"><code class="language-sh">curl '<span id="curl-address">${base}</span>/plants' \
-H 'Authorization: Bearer <span id="curl-token">${token ?? 'TOKEN'}</span>' -H 'Content-Type: application/json' \
-d '{"id": 12, "name": "Aloe vera", "tag": "succulent"}'</code></pre>
<div>
<button type="button" id="create" disabled>Store a plant</button>
${token === undefined ? '' : FILLED_IN}
<p id="need-token"${token === undefined ? '' : html` hidden`}>${hint}</p>
</div>
${forgets(site)}
</section>
<p id="notice" role="status" hidden></p>
<noscript><p>The reference needs JavaScript. The description and the guide do not.</p></noscript>
<div id="reference" data-description="${root}/openapi.json" data-base="${base}" data-token="${token ?? ''}" \
data-events="${events ?? ''}" data-webhooks="${webhooks ?? ''}" data-guide="${pages}"></div>`;
}

/**
 * The beginning of every link. The base URL's path also works at the prefix without its last slash, and a relative path
 * behind a proxy that removes a prefix.
 */
function rootOf(base: string, relative: string): string {
  return base === '' ? relative : new URL(base).pathname.replace(/\/$/, '');
}

/**
 * The Content-Security-Policy (CSP Level 3) and the Referrer-Policy of a page. Only our own script files run, and
 * images, fonts and requests are restricted to this host. So the reference's inline styles can send nothing elsewhere.
 */
export function pageHeaders(page: GuidePage | undefined, base: string): Headers {
  // The page sends requests to the base URL, but may be read at another address.
  const origin = base === '' ? '' : ` ${new URL(base).origin}`;
  const styleAndRequests =
    page === undefined
      ? ["style-src 'self' 'unsafe-inline'", `connect-src 'self'${origin}`]
      : ["style-src 'self'", "connect-src 'self'"];
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...styleAndRequests,
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' };
}
