/** The sections of the guide, which guide-search.js searches in the browser. */
import { partsFor } from './guide-html.ts';
import type { GuidePage } from './site.ts';

interface Section {
  /** The path of the section, below that of the guide. */
  readonly path: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

export function searchIndex(guide: readonly GuidePage[], isOwn: boolean): string {
  return JSON.stringify(guide.flatMap((page) => sectionsOf(page, isOwn)));
}

function sectionsOf(page: GuidePage, isOwn: boolean): readonly Section[] {
  const [, ...parts] = partsFor(page, isOwn).split(/<h[123] id="/);
  return parts.map((part) => {
    const [, id = '', heading = '', text = ''] = /^([^"]*)">(.*?)<\/h[123]>(.*)$/s.exec(part) ?? [];
    return { path: `${page.slug}#${id}`, page: page.title, heading: plain(heading), text: plain(text) };
  });
}

function plain(html: string): string {
  const words = html.replaceAll(/<\/?(?:td|th|li|p|tr|pre)\b[^>]*>/g, ' ').replaceAll(/<[^>]+>/g, '');
  return words
    .replaceAll(/&(#?\w+);/g, (all, name) => ENTITIES[name] ?? all)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
