/** The documentation's pages: their HTML, in one frame, and what they may do in a browser. */
import type { Headers } from '../http/response.ts';

/** A page of the guide, as `npm run generate` makes it from Markdown. */
export interface GuidePage {
  readonly slug: string;
  readonly title: string;
  readonly html: string;
}

interface AssetPaths {
  readonly reference: string;
  readonly referencePage: string;
  readonly early: string;
  readonly style: string;
}

/** Where the examples of the guide and of the description say the service is; a configured base URL takes its place. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';

export function referenceHtml(guide: readonly GuidePage[], assets: AssetPaths, base: string): string {
  const root = rootOf(base, '.');
  const main = `<p id="notice" role="status" hidden></p>
<noscript><p>The reference needs JavaScript; <a href="${root}/openapi.yaml">openapi.yaml</a> and the guide do not.</p></noscript>
<div id="reference" data-description="${root}/openapi.json" data-base="${base}"></div>`;
  return frame({ root, assets, guide, current: undefined, scripts: [assets.reference, assets.referencePage], main });
}

export function guideHtml(page: GuidePage, guide: readonly GuidePage[], assets: AssetPaths, base: string): string {
  const root = rootOf(base, '..');
  const items = guide.map(
    (one) => `<li><a href="${root}/guide/${one.slug}"${mark(one === page)}>${one.title}</a></li>`,
  );
  const main = `<div class="guide">
<nav aria-label="Guide"><ol>${items.join('')}</ol></nav>
<main>${page.html.replaceAll(EXAMPLE_URL, () => base || EXAMPLE_URL)}</main>
</div>`;
  return frame({ root, assets, guide, current: page, scripts: [], main });
}

interface Frame {
  readonly root: string;
  readonly assets: AssetPaths;
  readonly guide: readonly GuidePage[];
  /** The page of the guide that is shown; undefined: the reference. */
  readonly current: GuidePage | undefined;
  readonly scripts: readonly string[];
  readonly main: string;
}

function frame({ root, assets, guide, current, scripts, main }: Frame): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${current === undefined ? '' : `${current.title} – `}Plant Store</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${assets.style}">
<script src="${root}${assets.early}"></script>
${scripts.map((path) => `<script src="${root}${path}" defer></script>`).join('\n')}
</head>
<body>
<header class="bar">
<a class="name" href="${root}/">Plant Store</a>
<nav aria-label="Documentation">
<a href="${root}/"${mark(current === undefined)}>Reference</a>
<a href="${root}/guide/${guide[0]?.slug}"${mark(current !== undefined)}>Guide</a>
<a href="${root}/openapi.yaml">openapi.yaml</a>
</nav>
</header>
${main}
</body>
</html>
`;
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
export function pageHeaders(kind: 'reference' | 'guide', base: string): Headers {
  // The page may be read at another address than the base URL, to which its requests go.
  const origin = base === '' ? '' : ` ${new URL(base).origin}`;
  const styleAndRequests =
    kind === 'guide' ? ["style-src 'self'"] : ["style-src 'self' 'unsafe-inline'", `connect-src 'self'${origin}`];
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...styleAndRequests,
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' };
}
