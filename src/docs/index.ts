/** Owns the documentation: the reference at `/`, the guide beside it, and the scripts and styles of both. */
import { contentPage, type Page, type Pages } from '../http/page.ts';
import { type AssetName, assetPath, readAsset } from './assets.ts';
import { type GuidePage, guideHtml, referenceHtml } from './html.ts';
import { pageHeaders } from './policy.ts';

const SCRIPT = 'text/javascript; charset=utf-8';

/** All pages by path, below the base URL's prefix. `base` is the base URL, or empty. */
export function documentationPages(base: string): Pages {
  const pages = new Map<string, Page>();
  const asset = (name: AssetName, type: string): string => {
    const bytes = readAsset(name);
    const path = assetPath(name, bytes);
    const make = name.endsWith('.br') ? () => ({ brotli: bytes }) : () => bytes.toString('utf8');
    pages.set(path, contentPage({ type, immutable: true, make }));
    return path;
  };
  const assets = {
    reference: asset('reference.js.br', SCRIPT),
    referencePage: asset('reference-page.js', SCRIPT),
    early: asset('early.js', SCRIPT),
    style: asset('page.css', 'text/css; charset=utf-8'),
  };
  const guide: readonly GuidePage[] = JSON.parse(readAsset('guide.gen.json').toString('utf8'));
  const html = (path: string, kind: 'reference' | 'guide', make: () => string) =>
    pages.set(path, contentPage({ type: 'text/html; charset=utf-8', headers: pageHeaders(kind, base), make }));
  html('/', 'reference', () => referenceHtml(guide, assets, base));
  for (const page of guide) html(`/guide/${page.slug}`, 'guide', () => guideHtml(page, guide, assets, base));
  return pages;
}
