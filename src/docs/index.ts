/** The documentation: the reference at `/`, the guide beside it, and the scripts and styles of both. */
import { hash } from 'node:crypto';
import { type Asset, readAsset } from '../assets.ts';
import { contentPage } from '../http/content.ts';
import type { Page, Pages } from '../http/router.ts';
import { type GuidePage, pageHeaders, pageHtml } from './html.ts';

const SCRIPT = 'text/javascript; charset=utf-8';

/** All pages by path, below the base URL's prefix. `base` is the base URL, or empty. */
export function documentationPages(base: string): Pages {
  const pages = new Map<string, Page>();
  const asset = (name: Asset, type: string): string => {
    const bytes = readAsset(name);
    const [stem, extension] = name.split('.');
    // It changes with the bytes: what was once served there may be kept for good.
    const path = `/${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${extension}`;
    const make = name.endsWith('.br') ? () => ({ brotli: bytes }) : () => bytes.toString('utf8');
    pages.set(path, contentPage({ type, immutable: true, make }));
    return path;
  };
  const assets = {
    reference: asset('docs/reference.js.br', SCRIPT),
    referencePage: asset('docs/reference-page.js', SCRIPT),
    early: asset('docs/early.js', SCRIPT),
    style: asset('docs/page.css', 'text/css; charset=utf-8'),
  };
  const guide: readonly GuidePage[] = JSON.parse(readAsset('docs/guide.gen.json').toString('utf8'));
  for (const page of [undefined, ...guide]) {
    const headers = pageHeaders(page, base);
    const make = () => pageHtml(page, guide, assets, base);
    const path = page === undefined ? '/' : `/guide/${page.slug}`;
    pages.set(path, contentPage({ type: 'text/html; charset=utf-8', headers, make }));
  }
  return pages;
}
