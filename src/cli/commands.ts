/** The commands of the service beside `serve`, which depends on the features. */
import { backup } from './backup.ts';
import { check } from './check.ts';
import type { Command } from './command-line.ts';
import { eventsCommands } from './events.ts';
import { exportPlants } from './export.ts';
import { importPlants } from './import.ts';
import { sandboxCommands } from './sandbox.ts';
import { tokenCommands } from './token.ts';

export const COMMANDS: readonly Command[] = [
  ...tokenCommands,
  ...sandboxCommands,
  ...eventsCommands,
  importPlants,
  exportPlants,
  backup,
  check,
];
