/** The rows of docs/tools.md: which tools are tried, in the order of the page. Each has a folder of its name. */

export type Stage = (typeof STAGES)[number];
/** What a tool can do with a description, in this order: read it, make code of it, have that compiled, work with it. */
export const STAGES = ['loads', 'generates', 'compiles', 'agrees'] as const;

/** A limit of the tool, not of the service. */
export interface Limit {
  readonly stage: Stage;
  readonly text: string;
  /** The tool's own issue about it. */
  readonly link?: string;
}

export interface Row {
  /** The name shown. */
  readonly tool: string;
  readonly language: string;
  readonly version: string;
  /** The command that a reader would type. */
  readonly command: string;
  /** What its `run` can be told to do; it exits with 0 where the tool did it. */
  readonly stages: readonly Stage[];
  readonly limits?: readonly Limit[];
  /** Programs, and files by their paths, that have to be there, with the Debian packages that bring them. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Further options of the service. */
  readonly serve?: readonly string[];
  /** Run by CI. */
  readonly ci?: true;
}

export const SECTIONS = {
  clients: 'Client generators',
  testers: 'Testers',
  loaders: 'Validators and loaders',
  pages: 'Pages',
} as const;

export type Section = keyof typeof SECTIONS;
