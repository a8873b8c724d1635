/** Two checkouts under the same attacks, as a table for docs/benchmark/attacks.md. */
import { number, spread } from '../figures.ts';
import { markdown } from '../report.ts';
import type { Outcome, Round } from './outcome.ts';

export interface Comparison {
  readonly attack: string;
  /** One of each checkout, in the order of the names. */
  readonly outcomes: readonly Outcome[];
}

/** Returns a table with a row for each attack and client, and columns for each checkout. */
export function comparison(measured: readonly Comparison[], names: readonly string[]): string {
  const columns = names.flatMap((name) =>
    ['p99 quiet', 'p99 attacked', 'worst', '5xx', 'memory'].map((of) => `${of}, ${name}`),
  );
  const rows = measured.flatMap(({ attack, outcomes }) =>
    (['visitor', 'operator'] as const).map((client) => [
      `\`${attack}\``,
      client,
      ...outcomes.flatMap((outcome) => cells(outcome, outcome[client])),
    ]),
  );
  return markdown(['attack', 'client', ...columns], rows, 2);
}

function cells(outcome: Outcome, rounds: readonly Round[]): readonly string[] {
  const quiet = spread(rounds.map((round) => round.quiet.p99));
  const attacked = spread(rounds.map((round) => round.attacked.p99));
  const failed = rounds.flatMap((round) => Object.entries(round.attacked.failed));
  const errors = failed.filter(([status]) => status.startsWith('5')).reduce((sum, [, count]) => sum + count, 0);
  const times = [quiet.median, attacked.median, attacked.high].map((ms) => `${number(ms)} ms`);
  return [...times, String(errors), outcome.hasEnded ? '**ended**' : `${Math.round(outcome.memory)} MB`];
}
