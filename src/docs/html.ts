/** The HTML of the documentation: one frame for the reference and the guide. */

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
  const root = rootOf(base, 0);
  return frame({
    title: 'Plant Store',
    root,
    assets,
    guide,
    current: undefined,
    scripts: [assets.reference, assets.referencePage],
    main: `<p id="notice" role="status" hidden></p>
<noscript><p>The reference needs JavaScript; <a href="${root}/openapi.yaml">openapi.yaml</a> and the guide do not.</p></noscript>
<div id="reference" data-description="${root}/openapi.json" data-base="${base}"></div>`,
  });
}

export function guideHtml(page: GuidePage, guide: readonly GuidePage[], assets: AssetPaths, base: string): string {
  const root = rootOf(base, 1);
  const items = guide.map((one) => {
    const here = one === page ? ' aria-current="page"' : '';
    return `<li><a href="${root}/guide/${one.slug}"${here}>${one.title}</a></li>`;
  });
  return frame({
    title: `${page.title} – Plant Store`,
    root,
    assets,
    guide,
    current: page,
    scripts: [],
    main: `<div class="guide">
<nav aria-label="Guide"><ol>${items.join('')}</ol></nav>
<main>${page.html.replaceAll(EXAMPLE_URL, () => (base === '' ? EXAMPLE_URL : base))}</main>
</div>`,
  });
}

interface Frame {
  readonly title: string;
  readonly root: string;
  readonly assets: AssetPaths;
  readonly guide: readonly GuidePage[];
  readonly current: GuidePage | undefined;
  readonly scripts: readonly string[];
  readonly main: string;
}

function frame({ title, root, assets, guide, current, scripts, main }: Frame): string {
  const here = (is: boolean) => (is ? ' aria-current="page"' : '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${assets.style}">
<script src="${root}${assets.early}"></script>
${scripts.map((path) => `<script src="${root}${path}" defer></script>`).join('\n')}
</head>
<body>
<header class="bar">
<a class="name" href="${root}/">Plant Store</a>
<nav aria-label="Documentation">
<a href="${root}/"${here(current === undefined)}>Reference</a>
<a href="${root}/guide/${guide[0]?.slug}"${here(current !== undefined)}>Guide</a>
<a href="${root}/openapi.yaml">openapi.yaml</a>
</nav>
</header>
${main}
</body>
</html>
`;
}

/**
 * What links begin with: the base URL's path, so that they also hold at the prefix without its slash, or a relative
 * path, so that they also hold behind a proxy that takes a prefix away.
 */
function rootOf(base: string, depth: number): string {
  if (base !== '') return new URL(base).pathname.replace(/\/$/, '');
  return depth === 0 ? '.' : '..';
}
