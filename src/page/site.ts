/** What the pages of the documentation depend on. */

/** Where readers find the service. */
export interface Place {
  /** The base URL, or empty. */
  readonly base: string;
  /** Whether only this machine can reach the service, so that it belongs to the reader. */
  readonly isOwn: boolean;
}

/** The parts of the documentation that a feature adds. */
export interface PageParts {
  /** A token that the pages fill in. It is no secret. */
  readonly token?: string;
  /** With it, a reader can create a sandbox. */
  readonly panel?: Panel;
  /** The path of the feed of events. The panel shows its events. */
  readonly events?: string;
  /** The path of the webhooks. The panel makes one that delivers to an inbox, and shows its deliveries. */
  readonly webhooks?: string;
}

/** A part of the first page in addition to the reference. */
export interface Panel {
  readonly html: string;
  /** What the service does in addition: the end of the sentence that introduces it. */
  readonly promise: string;
  /** Why the reader needs no token, or how to get one. */
  readonly hint: string;
  /** Modules that import each other, as assets in one folder. The first one runs before the reference's script. */
  readonly scripts: { readonly folder: string; readonly names: readonly string[] };
  /** The names of assets. */
  readonly styles: readonly string[];
}

/** A page of the guide, as `npm run generate` makes it from Markdown. */
export interface GuidePage {
  /** The heading above its link. */
  readonly group: string;
  readonly slug: string;
  /** The slug of the page that this page belongs to. Undefined for most pages. */
  readonly under?: string;
  readonly title: string;
  readonly html: string;
}

/** What every page is made from. The panel has the paths of its first module and its styles. */
export interface Site extends Place, Omit<PageParts, 'panel'> {
  readonly guide: readonly GuidePage[];
  readonly panel: (Omit<Panel, 'scripts'> & { readonly module: string }) | undefined;
  readonly assets: Readonly<
    Record<
      'reference' | 'referencePage' | 'guide' | 'guideSearch' | 'guideStyle' | 'copy' | 'early' | 'style' | 'icon',
      string
    >
  >;
}
