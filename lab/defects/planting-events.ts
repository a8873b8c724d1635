/** The ways to plant a defect of the events: other events in a response, or an event before its plant. */
import { setTimeout as delay } from 'node:timers/promises';
import { isStream } from '../../src/http/response.ts';
import type { PlantId, StoreName } from '../../src/plants/plant.ts';
import type { Plant } from './defect.ts';
import { changePlants, changeResponse, parseWritten, type Written } from './planting.ts';
import type { Ids } from './variants.ts';

/** The members of `data` that defects use. */
export interface Data {
  readonly name?: string;
  readonly tag?: string;
  readonly previousName?: string;
  readonly previousTag?: string | null;
}

export interface Event {
  readonly sequence: Written;
  readonly type: string;
  readonly data: Data;
}

/** An event, and its text in the form of the response. The text has the JSON of the event in one line. */
interface Item {
  readonly event: Event;
  readonly text: string;
}

/** Gets the events of a response in order, and undefined at its end. Returns what is sent instead of the event. */
type Rewrite = (item: Item | undefined) => readonly Item[];

/** Changes the events of pages and of streams. `begin` is called for each response. */
const changeEvents = (begin: () => Rewrite): Plant =>
  changeResponse('listEvents', 200, (response, _, count) => {
    const { body } = response;
    const rewrite = begin();
    if (isStream(body)) return { ...response, body: (signal) => rewriteStream(body(signal), rewrite, count) };
    const events: readonly Event[] = parseWritten(String(body));
    const items = events.map((event) => ({ event, text: JSON.stringify(event) }));
    const texts = [...items, undefined].flatMap(rewrite).map(({ text }) => text);
    return { ...response, body: `[${texts.join()}]` };
  });

/** Changes each event without regard to the others. */
export const changeEach = (change: (item: Item) => readonly Item[]): Plant =>
  changeEvents(() => (item) => (item === undefined ? [] : change(item)));

/** Sends an event after the event that follows it in the response. */
export const swapEach = (isMeant: (event: Event) => boolean): Plant =>
  changeEvents(() => {
    let held: Item | undefined;
    return (item) => {
      const before = held;
      held = before === undefined && item !== undefined && isMeant(item.event) ? item : undefined;
      return held === undefined ? [item, before].filter((one) => one !== undefined) : [];
    };
  });

/** Counts a stream at its first difference. */
async function* rewriteStream(pieces: AsyncIterable<string | Uint8Array>, rewrite: Rewrite, count: () => void) {
  let isRight = true;
  for await (const piece of pieces) {
    const text = String(piece);
    const [json] = /\{.*\}/.exec(text) ?? [];
    const sent = json === undefined ? [text] : rewrite({ event: parseWritten(json), text }).map((item) => item.text);
    const wasRight = isRight;
    isRight &&= sent.length === 1 && sent[0] === text;
    if (wasRight && !isRight) count();
    yield* sent;
  }
  for (const { text } of rewrite(undefined)) yield text;
}

const HOLD_MS = 1_000;

/** Nobody can read a new plant until its create responds, a second after its event became readable. */
export const holdCreated = (ids: Ids): Plant =>
  changePlants((plants, count) => {
    const held = new Set<string>();
    const keyOf = (store: StoreName, id: PlantId) => `${store}/${id}`;
    return {
      async create(store, plant) {
        const key = keyOf(store, plant.id);
        const isNew = ids.includes(plant.id) && (await plants.get(store, plant.id)) === undefined;
        if (!isNew || held.has(key)) return plants.create(store, plant);
        held.add(key);
        try {
          const result = await plants.create(store, plant);
          await delay(HOLD_MS);
          return result;
        } finally {
          held.delete(key);
        }
      },
      async get(store, id) {
        const plant = await plants.get(store, id);
        if (plant === undefined || !held.has(keyOf(store, id))) return plant;
        count();
        return undefined;
      },
      async list(store, page) {
        const found = await plants.list(store, page);
        const shown = found.filter(({ id }) => !held.has(keyOf(store, id)));
        if (shown.length < found.length) count();
        return shown;
      },
    };
  });
