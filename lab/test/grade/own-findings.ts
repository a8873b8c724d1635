/** Findings about Plant Store, for tests of reports. */
import { readAsset } from '../../../src/util/assets.ts';
import { APIS } from '../../defects/apis.ts';
import { readFindings } from '../../grade/findings.ts';
import { readVocabulary } from '../../grade/vocabulary.ts';

export const VOCABULARY = readVocabulary(readAsset(APIS.plants.description).toString());

export type Format = Parameters<typeof readFindings>[0];

export const findingsIn = (format: Format, path: string) => readFindings(format, path, 2 ** 20, VOCABULARY);
