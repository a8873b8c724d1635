/** Owns the files that the documentation is made of: their names, and the paths that they are served under. */
import { hash } from 'node:crypto';
import * as assets from '../assets.ts';

export type AssetName = 'reference.js.br' | 'page.css' | 'reference-page.js' | 'early.js' | 'guide.gen.json';

export function readAsset(name: AssetName): Buffer {
  return assets.readAsset(`docs/${name}`);
}

/** The path of an asset, which changes with its bytes: what was once served there may be kept for good. */
export function assetPath(name: AssetName, bytes: Buffer): string {
  const [stem, extension] = name.split('.');
  return `/docs/${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${extension}`;
}
