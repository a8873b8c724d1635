/** The documentation's pages: their HTML, in one frame, and what they may do in a browser. */
import type { Headers } from '../http/response.ts';

/** A page of the guide, as `npm run generate` makes it from Markdown. */
export interface GuidePage {
  /** Under which its link stands. */
  readonly group: string;
  readonly slug: string;
  readonly title: string;
  readonly html: string;
}

type AssetPaths = Readonly<Record<'reference' | 'referencePage' | 'guide' | 'early' | 'style' | 'icon', string>>;

/** As in index.ts, by paths. */
type PanelPaths = Readonly<Record<'html' | 'hint' | 'script' | 'style', string>>;

/** Where the examples of the guide and of the description say the service is; a configured base URL takes its place. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';

/**
 * A page of the guide, or, where it is undefined, the reference. `base` is the base URL, or empty; `token` is what the
 * reference has filled in, no secret.
 */
export function pageHtml(
  page: GuidePage | undefined,
  guide: readonly GuidePage[],
  assets: AssetPaths,
  base: string,
  token: string | undefined,
  panel?: PanelPaths,
): string {
  const root = rootOf(base, page === undefined ? '.' : '..');
  const beside = page === undefined ? panel : undefined;
  const own = page === undefined ? [assets.reference, assets.referencePage] : [assets.guide];
  const scripts = [...(beside === undefined ? [] : [beside.script]), ...own];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page === undefined ? '' : `${page.title} – `}Plant Store</title>
<link rel="icon" href="${root}${assets.icon}">
<link rel="stylesheet" href="${root}${assets.style}">
${beside === undefined ? '' : `<link rel="stylesheet" href="${root}${beside.style}">\n`}\
<script src="${root}${assets.early}"></script>
${scripts.map((path) => `<script src="${root}${path}" defer></script>`).join('\n')}
</head>
<body>
<nav class="bar" aria-label="Documentation">
<a class="name" href="${root}/">Plant Store</a>
<a href="${root}/"${mark(page === undefined)}>Reference</a>
<a href="${root}/guide/${guide[0]?.slug}"${mark(page !== undefined)}>Guide</a>
<a href="${root}/openapi.json" title="The description in JSON">JSON</a>
<a href="${root}/openapi.yaml" title="The description in YAML">YAML</a>
</nav>
${page === undefined ? referenceMain(guide, root, base, token, panel) : guideMain(page, guide, root, base)}
</body>
</html>
`;
}

const NEED_TOKEN =
  'Sending needs a token: <code>plantstore serve</code> prints one at its first start, ' +
  '<code>plantstore token create</code> makes more. Paste it under <em>Authentication</em>.';

function referenceMain(
  guide: readonly GuidePage[],
  root: string,
  base: string,
  token: string | undefined,
  panel: PanelPaths | undefined,
): string {
  const hint = panel?.hint ?? NEED_TOKEN;
  const pages = JSON.stringify(guide.map(({ slug, title }) => ({ title, path: `${root}/guide/${slug}` })));
  return `<section class="start" aria-label="First request">
<button type="button" id="create" disabled>Store a plant</button>
${token === undefined ? '' : '<p>The token of this demo is filled in.</p>'}
<p id="need-token"${token === undefined ? '' : ' hidden'}>${hint}</p>
</section>
<p id="notice" role="status" hidden></p>
<noscript><p>The reference needs JavaScript; <a href="${root}/openapi.yaml">openapi.yaml</a> and the guide do not.</p></noscript>
<div id="reference" data-description="${root}/openapi.json" data-base="${base}" data-token="${token ?? ''}" \
data-guide="${attribute(pages)}"></div>${panel === undefined ? '' : `\n${panel.html.trim()}`}`;
}

function guideMain(page: GuidePage, guide: readonly GuidePage[], root: string, base: string): string {
  const lists = [...Map.groupBy(guide, ({ group }) => group)].map(([group, pages]) => {
    const link = (one: GuidePage) => `<a href="${root}/guide/${one.slug}"${mark(one === page)}>${one.title}</a>`;
    return `<p>${group}</p><ol aria-label="${group}">${pages.map((one) => `<li>${link(one)}</li>`).join('')}</ol>`;
  });
  // The lessons are for a demo on the reader's machine, wherever they are read.
  const own = page.group === 'Lessons' ? EXAMPLE_URL : base || EXAMPLE_URL;
  return `<div class="guide">
<nav aria-label="Guide">${lists.join('')}</nav>
<main>${page.html.replaceAll(EXAMPLE_URL, () => own)}</main>
</div>
<p id="said" role="status"></p>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function mark(isCurrent: boolean): string {
  return isCurrent ? ' aria-current="page"' : '';
}

/**
 * What links begin with: the base URL's path, so that they also hold at the prefix without its slash, or a relative
 * path, so that they also hold behind a proxy that takes a prefix away.
 */
function rootOf(base: string, relative: string): string {
  return base === '' ? relative : new URL(base).pathname.replace(/\/$/, '');
}

/**
 * Content-Security-Policy (CSP Level 3) and its companion. Only our own script files run, neither inline nor evaluated.
 * The reference writes styles of its own into the page; they send nothing anywhere, since images, fonts and requests are
 * held to this host.
 */
export function pageHeaders(page: GuidePage | undefined, base: string): Headers {
  // The page may be read at another address than the base URL, to which its requests go.
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
