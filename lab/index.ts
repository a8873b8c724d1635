/** The library of the package: the service with every feature, those of the laboratory included. */
import { type startPlantStore as startService, startWith } from '../src/index.ts';
import { PROGRAM } from './program.ts';

export type * from '../src/index.ts';

export const startPlantStore: typeof startService = (options = {}) => startWith(PROGRAM.features, options);
