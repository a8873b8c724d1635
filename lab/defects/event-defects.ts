/** Defects of the feed of events, which events.yaml describes. They need `--events` or `--demo`. */

import { Problem } from '../../src/errors.ts';
import type { AnyResult } from '../../src/feature.ts';
import type { AnyInput } from '../../src/http/exchange.ts';
import type { TierDefect } from './defect.ts';
import { ALOE, create, curl, example, linkOf, replace, request } from './examples.ts';
import { changePerform, withParameters } from './planting.ts';
import { changeEach, type Data, type Event, holdCreated, swapEach } from './planting-events.ts';
import { forEach, forIds } from './variants.ts';

type Operation = 'listEvents' | 'any';

/** The events that a variant concerns. */
interface Which {
  readonly events: string;
  includes(event: Event): boolean;
}

const each = (step: bigint, place: string): Which => ({
  events: `every ${place} event of a store`,
  includes: ({ sequence }) => BigInt(sequence.rawJSON) % step === 0n,
});
const ofType = (type: string): Which => ({
  events: `each event ${type}`,
  includes: (event) => event.type === type,
});
const WHICH: readonly Which[] = [
  ...[each(3n, 'third'), ofType('plant.deleted'), each(2n, 'second'), ofType('plant.replaced'), each(4n, 'fourth')],
  ...[ofType('plant.created'), each(5n, 'fifth')],
];

/** Six events, of every type. */
const SIX_EVENTS = example(
  '200, then 204, then 200, then 204, then 200 with six events, once and in order',
  create(ALOE),
  create('{"id": 24, "name": "Agave"}'),
  replace(12, '{"name": "Agave"}'),
  request('/plants/12', '-X DELETE'),
  create(ALOE),
  request('/plants/24', '-X DELETE'),
  request('/events'),
);
const COMMON = { operation: 'listEvents', ...SIX_EVENTS } as const;
const ONCE = 'Each committed change of a plant makes exactly one event';

export const eventDefects: readonly TierDefect<Operation>[] = [
  forEach('event-lost', WHICH, ({ events, includes }) => ({
    ...COMMON,
    does: `GET /events leaves out ${events}.`,
    breaks: ONCE,
    plant: changeEach((item) => (includes(item.event) ? [] : [item])),
  })),
  forEach('event-doubled', WHICH, ({ events, includes }) => ({
    ...COMMON,
    does: `GET /events returns ${events} twice. A page may then have more events than limit.`,
    breaks: ONCE,
    plant: changeEach((item) => (includes(item.event) ? [item, item] : [item])),
  })),
  forEach('events-swapped', WHICH, ({ events, includes }) => ({
    ...COMMON,
    does: `GET /events returns ${events} after the event that follows it.`,
    breaks: 'Returns the events after a cursor, oldest first.',
    plant: swapEach(includes),
  })),
  forIds('event-before-commit', (ids) => ({
    does: `The event of a new plant is readable one second before the plant${ids.where}.`,
    operation: 'any',
    breaks: 'no event exists without its change',
    show: `next=${linkOf('/events?after=latest&wait=10')}; ${curl(create(ALOE))} > /dev/null & ${curl(
      request('$next'),
    )}; ${curl(request('/plants/12'))}`,
    clean: '200 with the event, then 200 with the plant',
    classes: { cwe: 362 },
    plant: holdCreated(ids),
  })),
  forEach<readonly [what: string, change: (data: Data) => Partial<Data>], Operation>(
    'previous-value-wrong',
    [
      ['the new name as previousName', ({ name = '' }) => ({ previousName: name })],
      ['the new tag as previousTag', ({ tag = null }) => ({ previousTag: tag })],
      ['null as every previousTag', () => ({ previousTag: null })],
      ['an empty previousTag if the plant had none', ({ previousTag }) => ({ previousTag: previousTag ?? '' })],
      ['an empty previousName', () => ({ previousName: '' })],
      ['previousName in lower case', ({ previousName = '' }) => ({ previousName: previousName.toLowerCase() })],
      ['the previous name as previousTag', ({ previousName = null }) => ({ previousTag: previousName })],
    ],
    ([what, change]) => ({
      does: `An event plant.replaced has ${what}.`,
      operation: 'listEvents',
      breaks: 'A plant after it was replaced, with its name and tag before.',
      ...example(
        '200 with previousName Aloe vera and previousTag succulent, and then Agave and null',
        create(ALOE),
        replace(12, '{"name": "Agave"}'),
        replace(12, '{"name": "Fern", "tag": "green"}'),
        request('/events'),
      ),
      plant: changeEach(({ event, text }) => {
        if (event.type !== 'plant.replaced') return [{ event, text }];
        const wrong = { ...event, data: { ...event.data, ...change(event.data) } };
        return [{ event: wrong, text: text.replace(/\{.*\}/, () => JSON.stringify(wrong)) }];
      }),
    }),
  ),
  {
    name: 'last-event-id-ignored',
    does: 'GET /events ignores Last-Event-ID.',
    operation: 'listEvents',
    breaks: 'The `id` of the last event that a reader of a stream got. It replaces `after`.',
    show: `${curl(create(ALOE))}; last=$(${curl(request('/events'))} | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p'); ${curl(
      request('/events', '-H "Last-Event-ID: $last"'),
    )}`,
    clean: '200, then 200 without events',
    plant: changePerform('listEvents', async (perform, input, count) => {
      const seen = async (own: AnyInput) => placeOf(await perform(withParameters(own, { wait: 0 })).catch(problemOf));
      const wrong = withParameters(input, { 'Last-Event-ID': undefined });
      if ((await seen(input)) !== (await seen(wrong))) count();
      return perform(wrong);
    }),
  },
];

const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  throw error;
};
/** The page that a result is, or the place where its stream begins. */
function placeOf(result: AnyResult): string {
  if (result instanceof Problem) return String(result.code);
  const { headers, body } = result;
  return JSON.stringify([headers, Array.isArray(body) ? body.length : 'stream']);
}
