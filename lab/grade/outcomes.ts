/** Counts the outcomes of scenarios, for each kind of program that is graded scenario by scenario. */

export interface Judged<Outcome extends string = string> {
  readonly scenario: string;
  /** The same for scenarios that look the same to the program. */
  readonly pair?: string | undefined;
  readonly outcome: Outcome | 'void';
}

/** The worst of the outcomes. It is void only if all of them are. `order`: from the best outcome to the worst. */
export function worstOf<Outcome extends string>(
  order: readonly Outcome[],
  outcomes: readonly (Outcome | 'void')[],
): Outcome | 'void' {
  return order.findLast((one) => outcomes.includes(one)) ?? 'void';
}

/** How often each outcome occurs. Scenarios that look the same to the program count once, with the worst outcome. */
export function countOutcomes<Outcome extends string>(
  order: readonly Outcome[],
  runs: readonly Judged<Outcome>[],
): readonly (readonly [outcome: Outcome | 'void', count: number])[] {
  const groups = [...Map.groupBy(runs, ({ scenario, pair = scenario }) => pair).values()];
  const judged = groups.map((group) =>
    worstOf(
      order,
      group.map(({ outcome }) => outcome),
    ),
  );
  return ([...order, 'void'] as const).map((outcome) => [outcome, judged.filter((one) => one === outcome).length]);
}
