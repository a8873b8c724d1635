/** The documentation: the reference at `/`, the pages of the guide, and the scripts and styles of both. */
import { hash } from 'node:crypto';
import type { Page, Pages } from '../http/router.ts';
import { staticPage } from '../http/static-page.ts';
import { readAsset } from '../util/assets.ts';
import { searchIndex } from './guide-search.ts';
import { pageHeaders, pageHtml } from './page-html.ts';
import type { GuidePage, PageParts, Panel, Place, Site } from './site.ts';

const ICON = 'image/x-icon';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** The served path of an asset does not have the folders of the sources. */
const pathOf = (name: string) => `/${name.replace(/^features\//, '').replace(/^page\//, 'docs/')}`;

/** All pages by path, below the base URL's prefix. */
export function documentationPages(place: Place, { panel, ...parts }: PageParts): Pages {
  const pages = new Map<string, Page>();
  const asset = (name: string, type: string): string => {
    const bytes = readAsset(name);
    const [stem, extension] = pathOf(name).split('.');
    // The path changes with the bytes, so browsers may keep the asset forever.
    const path = `${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${extension}`;
    const make = () => (name.endsWith('.br') ? { brotli: bytes } : bytes);
    pages.set(path, staticPage({ type, immutable: true, make }));
    return path;
  };
  /** The path of the first module. The folder's path changes with any of them. */
  const modules = ({ folder, names }: Panel['scripts']): string => {
    const files = names.map((name) => readAsset(`${folder}/${name}`));
    const path = `${pathOf(folder)}.${hash('sha256', Buffer.concat(files), 'hex').slice(0, 12)}`;
    for (const [i, name] of names.entries()) {
      pages.set(`${path}/${name}`, staticPage({ type: SCRIPT, immutable: true, make: () => files[i] as Buffer }));
    }
    return `${path}/${names[0]}`;
  };
  const assets = {
    reference: asset('page/reference.js.br', SCRIPT),
    referencePage: asset('page/reference-page.js', SCRIPT),
    guide: asset('page/guide.js', SCRIPT),
    guideSearch: asset('page/guide-search.js', SCRIPT),
    copy: asset('page/copy.js', SCRIPT),
    early: asset('page/early.js', SCRIPT),
    icon: asset('page/favicon.ico', ICON),
    style: asset('page/page.css', STYLE),
    guideStyle: asset('page/guide.css', STYLE),
  };
  const served = panel && {
    ...panel,
    module: modules(panel.scripts),
    styles: panel.styles.map((name) => asset(name, STYLE)),
  };
  const guide: readonly GuidePage[] = JSON.parse(readAsset('page/guide.gen.json').toString('utf8'));
  const site: Site = { ...place, ...parts, guide, assets, panel: served };
  for (const page of [undefined, ...guide]) {
    const headers = pageHeaders(page, place.base);
    const make = () => pageHtml(page, site);
    const path = page === undefined ? '/' : `/guide/${page.slug}`;
    pages.set(path, staticPage({ type: 'text/html; charset=utf-8', headers, make }));
  }
  const index = staticPage({ type: 'application/json', make: () => searchIndex(guide, place.isOwn) });
  pages.set('/guide/search.json', index);
  // Browsers request this path without a link to it.
  pages.set('/favicon.ico', staticPage({ type: ICON, make: () => readAsset('page/favicon.ico') }));
  // Relative locations also work behind a proxy that removes a prefix.
  pages.set('/docs', redirect('./'));
  pages.set('/guide', redirect(`guide/${guide[0]?.slug}`));
  return pages;
}

function redirect(location: string): Page {
  return () => ({ status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } });
}
