/** The error numbers that only sandboxes have, and when each is sent. */
export const sandboxErrors = {
  40010:
    'The sandbox is full: it has too many plants or snapshots, or they are too large. The message names the limit.',
  40020: 'A fault is malformed, it does not apply to the operation, or the rules are too long together.',
  40021: 'The sandbox of a demo cannot be deleted. Reset it with POST /sandbox/reset.',
  40402: 'The sandbox has no such snapshot.',
  42901: 'The maximum number of sandboxes is reached, for the whole service or for this address.',
  42902: 'The sandbox or the address has used up a budget. The message names the budget.',
} as const;
