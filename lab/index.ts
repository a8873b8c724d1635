/** The library of the package: the service with every feature, including the features of the laboratory. */
import { type startPlantStore as startService, startWith } from '../src/index.ts';
import { PROGRAM } from './program.ts';

export type * from '../src/index.ts';

export const startPlantStore: typeof startService = (options = {}) => startWith(PROGRAM.features, options);
