/** The commands and features of the service alone. */
import { backup } from './cli/backup.ts';
import { check } from './cli/check.ts';
import { exportPlants } from './cli/export.ts';
import { importPlants } from './cli/import.ts';
import type { Program } from './cli/run-command.ts';
import { tokenCommands } from './cli/token.ts';
import type { FeatureEntry } from './features/entry.ts';
import { FEATURES, type FullConfig } from './features/index.ts';

export type { FeatureEntry, FullConfig, Program };

export const SERVICE: Program = {
  commands: [
    ...tokenCommands(FEATURES.flatMap(({ scopes }: FeatureEntry) => scopes ?? [])),
    importPlants,
    exportPlants,
    backup,
    check,
  ],
  features: FEATURES,
};
