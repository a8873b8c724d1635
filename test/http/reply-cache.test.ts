/** An answer that was kept is given again only while nothing has changed, and never takes more than its share of memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../../src/http/reply.ts';
import { createReplyCache } from '../../src/http/reply-cache.ts';

type PlaceOf = ReturnType<typeof createReplyCache>;

function reply(body: string): Reply {
  return { status: 200, headers: [], body };
}

function answer(placeOf: PlaceOf, question: string, body = question): void {
  placeOf(question).keep(reply(body));
}

function known(placeOf: PlaceOf, question: string): Reply['body'] {
  return placeOf(question).reply?.body;
}

test('what was answered twice is given again to the same question, until the revision changes', () => {
  let revision = 1;
  const placeOf = createReplyCache(() => revision);
  for (const now of [1, 2]) {
    revision = now;
    answer(placeOf, 'a', `a at ${now}`);
    assert.equal(known(placeOf, 'a'), undefined);
    answer(placeOf, 'a', `a at ${now}`);
    assert.equal(known(placeOf, 'a'), `a at ${now}`);
    assert.equal(known(placeOf, 'b'), undefined);
  }
});

test('an answer that was begun before a change and comes after it is not kept', () => {
  let revision = 1;
  const placeOf = createReplyCache(() => revision);
  answer(placeOf, 'a');
  const slow = placeOf('a');
  revision = 2;
  answer(placeOf, 'a', 'new');
  const quick = placeOf('a');
  slow.keep(reply('old'));
  assert.equal(known(placeOf, 'a'), undefined);
  quick.keep(reply('new'));
  slow.keep(reply('old'));
  assert.equal(known(placeOf, 'a'), 'new');
});

test('the oldest question of too many is forgotten, and a long answer is not kept at all', () => {
  const placeOf = createReplyCache(() => 1);
  const questions = Array.from({ length: 16 }, (_, i) => `question ${i}`);
  for (const _ of [1, 2]) for (const question of questions) answer(placeOf, question);
  const late = placeOf('question 0');
  answer(placeOf, 'one more');
  late.keep(reply('question 0'));
  for (const question of questions.slice(1)) assert.equal(known(placeOf, question), question);
  assert.equal(known(placeOf, 'question 0'), undefined, 'though its answer came late');
  for (const _ of [1, 2]) answer(placeOf, 'long', 'x'.repeat(65_537));
  assert.equal(known(placeOf, 'long'), undefined);
});
