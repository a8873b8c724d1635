/** A service that can be graded: what is known about it, and how each run starts it. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Values } from './command.ts';
import type { Manifest } from './manifest.generated.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A defect of a service, and what is true about it. */
export type Truth = Manifest['defects'][number];

export interface Subject extends Pick<Manifest, 'name' | 'version' | 'openapi'> {
  readonly defects: readonly Truth[];
  /** Whether a tester without a credential tests nothing. */
  readonly needsCredential: boolean;
  /** Prepares what all runs share in an empty temporary folder. Rejects with a StartupError. */
  open(folder: string): Promise<Stage>;
}

/** What all runs share. */
export interface Stage {
  /** Contains the temporary folders of the runs. */
  readonly folder: string;
  readonly vocabulary: Vocabulary;
  /** Prepares the service of a run. The service starts in `folder`, which is removed after the run. */
  prepare(folder: string): Launch | Promise<Launch>;
}

export interface Launch {
  /** The command that starts the service. */
  readonly command: readonly string[];
  /** The tokens for the tester, and other values, by the names of their placeholders. */
  readonly values: Values;
}

/** What the tester gets to send as a credential. It is in the database with which each run begins. */
export interface Credentials {
  readonly values: Values;
  /** Changes the copy of the database for a run, just before the run. */
  renew?(database: string): Promise<unknown>;
}

/** Creates a temporary folder. Disposing of the returned object removes it. */
export function openRunFolder(below: string, name: string): Disposable & { readonly path: string } {
  const path = join(below, name);
  mkdirSync(path);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
