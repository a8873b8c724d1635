import { type FaultKind, integer } from '../fault-kind.ts';
import { declares, requestedProblem } from '../requested-problem.ts';

export const status: FaultKind<'status'> = {
  does:
    'an error with this `status`, which the operation must declare. The message explains that the sandbox was asked ' +
    'for it',
  example: { status: 503 },
  needs: { status: integer(400, 599, 'an error status that the operation declares') },
  pageSwitch: {
    label: 'Respond to POST with 503',
    rule: { fault: { kind: 'status', status: 503 }, match: { operation: 'createPlant' } },
  },
  choosesResponse: true,
  reasonAgainst: ({ status = 0 }, operation) =>
    declares(operation, status) ? undefined : `cannot respond with ${status}`,
  before: ({ status }, exchange) => requestedProblem(status, 'was not carried out', exchange),
  after: ({ status }, exchange) => requestedProblem(status, 'was carried out first', exchange),
};
