/** Makes the planted defects a feature of the service. Options or the grader ask for it. */
import { type Config, UsageError } from '../../src/cli/command-line.ts';
import type { FeatureEntry, FullConfig } from '../../src/program.ts';
import { suggest } from '../../src/util/nearest.ts';
import { openParent, sendToParent } from './grader-channel.ts';
import { defectOptions } from './options.ts';

type Given = FullConfig & Config<typeof defectOptions>;

/** The outermost feature: a defect wraps everything else. */
export const DEFECTS_ENTRY: FeatureEntry<typeof defectOptions> = {
  name: 'defects',
  options: defectOptions,
  isAskedFor: ({ defect, mystery }) => defect !== undefined || mystery !== undefined,
  async load({ defect = '', variants, mystery }) {
    const { plantDefect, plantMystery } = await import('./index.ts');
    return mystery === undefined ? plantDefect(defect, variants) : plantMystery(mystery);
  },
  async check(given: Given) {
    const { defect, variants, mystery } = given;
    if (variants !== undefined && defect === undefined) throw new UsageError('--variants needs --defect');
    if (defect === undefined) return;
    await requireDefect(defect, given);
    if (mystery !== undefined) throw new UsageError('--mystery cannot be given with --defect');
  },
  async prepare(given: Given, { env }) {
    const parent = await openParent(env);
    if (parent === undefined) return { warnings: (program) => warningsFor(given, program) };
    // Only the grader's message names the defect, so that the tester cannot read it.
    const config = { defect: parent.defect ?? 'none', variants: parent.variants };
    return { config, ended: parent.ended, onReady: (url) => sendToParent({ url }) };
  },
};

/** Suggests the nearest name for an unknown defect. */
async function requireDefect(name: string, config: FullConfig): Promise<void> {
  const { APIS, CONTROL } = await import('./index.ts');
  if (name === CONTROL) return;
  const apis = Object.values(APIS);
  const api = apis.find(({ variants }) => variants.has(name));
  if (api?.isServed(config)) return;
  if (api !== undefined) throw new UsageError(`--defect ${name} needs ${api.option} or --demo`);
  const names = apis.flatMap(({ variants }) => [...variants.keys()]);
  throw new UsageError(`--defect: there is no such defect${suggest(name, names)}; plantstore defects lists them`);
}

function warningsFor({ defect, mystery }: Given, program: string): readonly string[] {
  if (mystery !== undefined) {
    return [`  This service has one secret defect. To reveal it: ${program} defects --mystery ${mystery}`];
  }
  return defect === undefined || defect === 'none'
    ? []
    : [`  This service is wrong on purpose: it has the defect ${defect}.`];
}
