/** Shows the plants that the sandbox stores now as rows. New plants come first. */
import { countOf, make } from './make.js';
import { parse, read } from './sandbox.js';

/** The service returns at most this many. */
const MOST = 1_000;

const list = document.querySelector('#sandbox-plants');
/** The ids of the shown plants, in their order. */
let shown;
/** The ids of plants that requests stored, and of those whose client got no response. */
const stored = new Set();
const unconfirmed = new Set();
/** The ids of plants that came first as new ones. */
const placed = new Set();

/**
 * Whether the stored plants may differ after these requests. A fault may have replaced the status after the commit, or
 * another client may have changed a plant.
 */
export function mayChangePlants(requests) {
  const isWrite = (method) => method !== 'GET' && method !== 'HEAD';
  return requests.some(({ method, status, fault }) => fault !== undefined || (isWrite(method) && status < 300));
}

/**
 * Notes the plants that were stored, and those whose client got no response. A later response about such a plant
 * confirms it.
 */
export function noteStored(requests) {
  for (const { method, status, response, body, target } of requests) {
    // A request in progress has no status yet.
    if (!(status < 300)) continue;
    const id = method === 'POST' ? idIn(body) : /^[^?]*\/plants\/(-?\d+)/.exec(target)?.[1];
    if (method === 'POST') stored.add(id);
    if (response === undefined) unconfirmed.delete(id);
    else if (method === 'POST') unconfirmed.add(id);
  }
}

function idIn(body) {
  try {
    return parse(body).id;
  } catch {
    // The record cuts off a long body.
    return undefined;
  }
}

export async function showPlants() {
  const response = await read('/sandbox/plants');
  if (response === undefined) return;
  const plants = new Map(parse(await response.text()).map((plant) => [plant.id, plant]));
  const known = new Set(shown ?? plants.keys());
  // A plant may be in the list before the record has its request.
  const isNew = (id) => !known.has(id) || (stored.has(id) && !placed.has(id));
  const added = [...plants.keys()].filter(isNew);
  for (const id of added) placed.add(id);
  shown = [...new Set([...added, ...known])].filter((id) => plants.has(id));
  list.replaceChildren(...shown.map((id) => rowOf(plants.get(id), added.includes(id))));
}

export function clearPlants() {
  shown = undefined;
  stored.clear();
  unconfirmed.clear();
  placed.clear();
  list.replaceChildren();
}

/** Empty if the plants are unknown. */
export function countPlants() {
  if (shown === undefined) return '';
  return shown.length === MOST ? `${MOST} or more plants` : countOf(shown.length, 'plant');
}

function rowOf({ id, name, tag }, isNew) {
  const row = make('li');
  row.append(make('strong', name), make('span', tag === undefined ? id : `${id} · ${tag}`));
  if (unconfirmed.has(id)) row.append(make('em', 'response lost'));
  row.classList.toggle('new', isNew);
  row.classList.toggle('lost', unconfirmed.has(id));
  return row;
}
