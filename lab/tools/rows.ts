/** The types of the rows and sections of docs/tools.md. */

export type Stage = (typeof STAGES)[number];
/** The steps of a tool, in order: read the description, generate code, compile the code, work with the service. */
export const STAGES = ['loads', 'generates', 'compiles', 'agrees'] as const;

/** A limit of the tool, not of the service. */
export interface Limit {
  readonly stage: Stage;
  readonly text: string;
  /** The issue about it in the tool's repository. */
  readonly link?: string;
}

export interface Row {
  /** The name on the page. */
  readonly tool: string;
  readonly language: string;
  readonly version: string;
  /** The command that a reader would type. */
  readonly command: string;
  /** The stages that its script `run` supports. The script exits with 0 if the tool passed the stage. */
  readonly stages: readonly Stage[];
  readonly limits?: readonly Limit[];
  /** The address of the documentation that shows the program. Default: the program is our own. */
  readonly source?: string;
  /** The scenarios in which a receiver is wrong, by outcome. */
  readonly outcomes?: Readonly<Record<string, readonly string[]>>;
  /** Programs, or paths of files, that the tool needs, each with its Debian package. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Further options of the service. */
  readonly serve?: readonly string[];
  /** Whether CI runs it. */
  readonly ci?: true;
}

export const SECTIONS = {
  clients: 'Client generators',
  testers: 'Testers',
  loaders: 'Validators and loaders',
  pages: 'Pages',
  readers: 'Readers of the stream of events',
  receivers: 'Receivers of webhooks',
} as const;

export type Section = keyof typeof SECTIONS;
