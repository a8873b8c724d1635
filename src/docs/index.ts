/** The documentation: the reference at `/`, the guide beside it, and the scripts and styles of both. */
import { hash } from 'node:crypto';
import { readAsset } from '../assets.ts';
import { contentPage } from '../http/content.ts';
import type { Page, Pages } from '../http/router.ts';
import { type GuidePage, pageHeaders, pageHtml } from './html.ts';

const ICON = 'image/x-icon';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** What a feature adds to the documentation page. */
export interface PageParts {
  /** A token that is no secret: the page fills it in. */
  readonly token?: string;
  readonly panel?: Panel;
}

/** What stands beside the reference. */
export interface Panel {
  readonly html: string;
  /** Why no token is needed, or how to come by one. */
  readonly hint: string;
  /** The path of an asset: a script that runs before the reference does. */
  readonly script: string;
  readonly style: string;
}

/** All pages by path, below the base URL's prefix. `base` is the base URL, or empty. */
export function documentationPages(base: string, { token, panel }: PageParts): Pages {
  const pages = new Map<string, Page>();
  const asset = (name: string, type: string): string => {
    const bytes = readAsset(name);
    const [stem, extension] = name.split('.');
    // It changes with the bytes: what was once served there may be kept for good.
    const path = `/${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${extension}`;
    const make = () => (name.endsWith('.br') ? { brotli: bytes } : bytes);
    pages.set(path, contentPage({ type, immutable: true, make }));
    return path;
  };
  const assets = {
    reference: asset('docs/reference.js.br', SCRIPT),
    referencePage: asset('docs/reference-page.js', SCRIPT),
    guide: asset('docs/guide.js', SCRIPT),
    early: asset('docs/early.js', SCRIPT),
    icon: asset('docs/favicon.ico', ICON),
    style: asset('docs/page.css', STYLE),
  };
  const beside = panel && { ...panel, script: asset(panel.script, SCRIPT), style: asset(panel.style, STYLE) };
  const guide: readonly GuidePage[] = JSON.parse(readAsset('docs/guide.gen.json').toString('utf8'));
  for (const page of [undefined, ...guide]) {
    const headers = pageHeaders(page, base);
    const make = () => pageHtml(page, guide, assets, base, token, beside);
    const path = page === undefined ? '/' : `/guide/${page.slug}`;
    pages.set(path, contentPage({ type: 'text/html; charset=utf-8', headers, make }));
  }
  // Where a browser looks for it by itself.
  pages.set('/favicon.ico', contentPage({ type: ICON, make: () => readAsset('docs/favicon.ico') }));
  // Relative, so that they also hold behind a proxy that takes a prefix away.
  pages.set('/docs', redirect('./'));
  pages.set('/guide', redirect(`guide/${guide[0]?.slug}`));
  return pages;
}

function redirect(location: string): Page {
  return () => ({ status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } });
}
