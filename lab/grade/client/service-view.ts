/** The file with what the service saw of a scenario: the faults, every request, and the plants at the end. */
import type { Scenario } from './scenario.ts';
import type { Seen } from './scenario-sandbox.ts';
import type { Belief } from './verdict.ts';

/** JSON for people. The requests have no credentials. */
export function serviceView({ name, does, rules }: Scenario, { received, stored }: Seen, belief: Belief): string {
  // A double cannot represent every id.
  const plants = stored.map((plant) => ({ ...plant, id: JSON.rawJSON(String(plant.id)) }));
  const view = { scenario: name, does, faults: rules, requests: received, stored: plants, belief: belief.of };
  return `${JSON.stringify(view, undefined, 2)}\n`;
}
