/** Compares some of the defects in a thread, and sends a result for each: how often it was triggered, or an error. */
import { parentPort, workerData } from 'node:worker_threads';
import { defectsOf } from '../../defects/index.ts';
import { compare, type Recording } from './compare.ts';

/** A defect, by its name and the seed of its variant. */
export interface Task {
  readonly title: string;
  readonly name: string;
  readonly seed: number | undefined;
}

export interface Result {
  readonly title: string;
  readonly count: number;
  readonly error?: string;
}

/** Comparisons at the same time in this thread, since each also waits for its writes. */
const TOGETHER = 4;

const { recording, tasks } = workerData as { readonly recording: Recording; readonly tasks: readonly Task[] };
const left = tasks.values();

async function runTasks(): Promise<void> {
  for (const { title, name, seed } of left) {
    const defect = defectsOf('plants', seed).find((one) => one.name === name);
    if (defect === undefined) throw new Error(`there is no defect ${name}`);
    const file = `${name}-${seed ?? 'published'}`;
    const result: Result = await compare(recording, defect, file).then(
      (count) => ({ title, count }),
      (error) => ({ title, count: 0, error: String(error) }),
    );
    parentPort?.postMessage(result);
  }
}

await Promise.all(Array.from({ length: TOGETHER }, runTasks));
