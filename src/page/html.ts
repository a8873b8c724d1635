/** The HTML of the documentation's pages, and the header fields that restrict what a page can do in a browser. */
import type { Headers } from '../http/response.ts';

/** A page of the guide, as `npm run generate` makes it from Markdown. */
export interface GuidePage {
  /** The heading above its link. */
  readonly group: string;
  readonly slug: string;
  readonly title: string;
  readonly html: string;
}

/** The properties of all pages. */
interface Site {
  readonly guide: readonly GuidePage[];
  readonly assets: Readonly<
    Record<'reference' | 'referencePage' | 'guide' | 'guideStyle' | 'early' | 'style' | 'icon', string>
  >;
  /** The base URL, or empty. */
  readonly base: string;
  /** The token that the reference fills in. It is no secret. */
  readonly token: string | undefined;
  readonly panel: ServedPanel | undefined;
  /** The path of the feed of events, if the service has one. */
  readonly events: string | undefined;
}

/** A `Panel` of index.ts, with the paths of its first module and its styles. */
interface ServedPanel {
  readonly html: string;
  readonly hint: string;
  readonly module: string;
  readonly styles: readonly string[];
}

/** The address of the service in the guide's examples. A configured base URL replaces it. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';

/** The HTML of a page of the guide, or of the reference if `page` is undefined. */
export function pageHtml(page: GuidePage | undefined, site: Site): string {
  const { guide, assets, base } = site;
  const root = rootOf(base, page === undefined ? '.' : '..');
  const panel = page === undefined ? site.panel : undefined;
  const scripts = page === undefined ? [assets.reference, assets.referencePage] : [assets.guide];
  const styles = [assets.style, ...(page === undefined ? (panel?.styles ?? []) : [assets.guideStyle])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page === undefined ? '' : `${page.title} – `}Plant Store</title>
<link rel="icon" href="${root}${assets.icon}">
${styles.map((path) => `<link rel="stylesheet" href="${root}${path}">`).join('\n')}
<script src="${root}${assets.early}"></script>
${panel === undefined ? '' : `<script src="${root}${panel.module}" type="module"></script>\n`}\
${scripts.map((path) => `<script src="${root}${path}" defer></script>`).join('\n')}
</head>
<body>
${panel === undefined ? '' : '<a id="skip" href="#sandbox">Skip to your sandbox</a>\n'}\
${page === undefined ? '' : '<a id="skip" href="#text">Skip to the text</a>\n'}\
<nav class="bar" aria-label="Documentation">
<a class="name" href="${root}/">Plant Store</a>
<a href="${root}/"${mark(page === undefined)}>Reference</a>
<a href="${root}/guide/${guide[0]?.slug}"${mark(page !== undefined)}>Guide</a>
<a href="${root}/openapi.json" title="The description in JSON">JSON</a>
<a href="${root}/openapi.yaml" title="The description in YAML">YAML</a>
</nav>
${page === undefined ? referenceMain(site, root) : guideMain(page, site, root)}
</body>
</html>
`;
}

const NEED_TOKEN =
  'You need a token to send requests. <code>plantstore serve</code> prints one at its first start, and ' +
  '<code>plantstore token create</code> creates more. Paste it under <em>Authentication</em>.';

function referenceMain({ guide, base, token, panel, events }: Site, root: string): string {
  const hint = panel?.hint ?? NEED_TOKEN;
  const pages = JSON.stringify(guide.map(({ slug, title }) => ({ title, path: `${root}/guide/${slug}` })));
  return `${panel === undefined ? '' : `${panel.html.trim()}\n`}<section class="start" aria-label="First request">
<button type="button" id="create" disabled>Store a plant</button>
${token === undefined ? '' : '<p>Click the button, then <em>Send</em>. The token of this demo is already filled in.</p>'}
<p id="need-token"${token === undefined ? '' : ' hidden'}>${hint}</p>
</section>
<p id="notice" role="status" hidden></p>
<noscript><p>The reference needs JavaScript.
<a href="${root}/openapi.yaml">openapi.yaml</a> and the guide do not.</p></noscript>
<div id="reference" data-description="${root}/openapi.json" data-base="${base}" data-token="${token ?? ''}" \
data-events="${events ?? ''}" data-guide="${escapeAttribute(pages)}"></div>`;
}

function guideMain(page: GuidePage, { guide, base, token }: Site, root: string): string {
  const lists = [...Map.groupBy(guide, ({ group }) => group)].map(([group, pages]) => {
    const link = (one: GuidePage) => `<a href="${root}/guide/${one.slug}"${mark(one === page)}>${one.title}</a>`;
    return `<p>${group}</p><ol aria-label="${group}">${pages.map((one) => `<li>${link(one)}</li>`).join('')}</ol>`;
  });
  // The lessons use a demo on the reader's machine. guide.js fills in another address once the reader has a token.
  const isLesson = page.group === 'Lessons';
  const own = isLesson ? EXAMPLE_URL : base || EXAMPLE_URL;
  return `<div class="guide">
<nav aria-label="Guide">${lists.join('')}</nav>
<main id="text" tabindex="-1" data-example="${EXAMPLE_URL}" data-token="${token ?? ''}" data-needs-token="${isLesson}">${page.html.replaceAll(EXAMPLE_URL, () => own)}</main>
</div>
<p id="said" role="status"></p>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function mark(isCurrent: boolean): string {
  return isCurrent ? ' aria-current="page"' : '';
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
    page === undefined ? ["style-src 'self' 'unsafe-inline'", `connect-src 'self'${origin}`] : ["style-src 'self'"];
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
