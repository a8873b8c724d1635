/** The pages that `npm run grade:clients` makes from records of clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grading, Run } from '../../clients/client-results-page.ts';
import { describeScenarios } from '../../clients/client-scenarios-page.ts';
import { picture } from '../../clients/picture.ts';

const conduct = { attempts: 2, early: 0, repeatedFinal: 0, hasChangedBody: false };
const run = (outcome: Run['outcome'], reason?: string): Run => ({
  scenario: 'post-idle-closed',
  does: 'An idle connection closes as POST arrives.',
  outcome,
  conduct,
  ...(reason !== undefined && { reason }),
});
const grading = (one: Run): Grading => ({
  plantStore: '1.0.0',
  client: 'fetch 1',
  attemptTimeout: 1_000,
  outcomes: [one],
});
const client = (title: string) => ({ name: 'fetch', title, language: 'JavaScript', configuration: 'Defaults.' });
const graded = (...runs: readonly Run[]) => [{ client: client('fetch <2>'), gradings: runs.map(grading) }];
const REASON = 'no request met the fault';

test('the picture has the outcome, the number of requests and a different outcome of the second pass', () => {
  const page = picture(graded(run('ghost'), run('right')));
  assert.match(page, /<th scope="col">fetch &lt;2&gt;<\/th>/);
  const cell = '<td class="bad">ghost<small>2 requests</small><small>right in the second pass</small></td>';
  assert.ok(page.includes(cell));
  assert.ok(!picture(graded(run('ghost'), run('ghost'))).includes('in the second pass'));
});

test('a void pass is no difference, and a void outcome has its reason', () => {
  const once = graded(run('void', 'the machine was too busy'), run('right'));
  assert.ok(picture(once).includes('<td class="good">right<small>2 requests</small></td>'));
  assert.match(describeScenarios(once), /^Every outcome was the same in both passes\.$/m);
  assert.match(
    describeScenarios(graded(run('ghost'), run('right'))),
    /^- fetch <2>, `post-idle-closed`: ghost, then right\.$/m,
  );
  const never = graded(run('void', REASON), run('void', REASON));
  assert.ok(picture(never).includes(`<td class="none">void<small>${REASON}</small></td>`));
  assert.match(describeScenarios(never), /^- fetch <2>: no request met the fault \(`post-idle-closed`\)\.$/m);
});
