/** Shows the fault rules of the sandbox, and switches for some of them. A switch changes only its own rule. */
import { make } from './make.js';
import { read, say, send } from './sandbox.js';

/** The most connections that a browser opens to a host. */
const MAX_CONNECTIONS = 6;

const switches = [...document.querySelectorAll('#sandbox input[data-rule]')];
const onlyFirst = document.querySelector('#sandbox-first');
const others = document.querySelector('#sandbox-others');
const fieldset = document.querySelector('#sandbox fieldset');
let rules = [];

/** Reads the rules, which other clients may have changed. */
export async function showFaults() {
  const response = await read('/sandbox/faults');
  if (response !== undefined) show(await response.json());
}

/** Such as `2 faults`. */
export function countFaults() {
  return rules.length === 0 ? '' : `${rules.length} ${rules.length === 1 ? 'fault' : 'faults'}`;
}

export function enableFaults(isEnabled) {
  fieldset.disabled = !isEnabled;
  if (!isEnabled) show([]);
}

/** Calls `changed` after each change. */
export function listenToSwitches(changed) {
  for (const one of switches) {
    one.addEventListener('change', async () => {
      const isOn = one.checked;
      const hasChanged = await change(one, isOn).catch(() => false);
      if (!hasChanged) one.checked = !isOn;
      changed();
    });
  }
}

async function change(one, isOn) {
  const current = await (await send('GET', '/sandbox/faults'))?.json();
  if (current === undefined) return false;
  const isSet = (each) => (each === one ? isOn : current.some((rule) => isRuleOf(each, rule)));
  const own = switches.filter(isSet).map((each) => JSON.parse(each.dataset.rule));
  const foreign = current.filter(isForeign);
  // The first rule that matches applies, so the page's rules come first.
  const response = await send('PUT', '/sandbox/faults', [...own, ...foreign]);
  if (response === undefined) return false;
  show(await response.json());
  if (isOn && JSON.parse(one.dataset.rule).fault.connection === 'first') await closeConnections();
  const restarts = foreign.length > 0 ? ' The other rules count from zero again.' : '';
  say((isOn ? 'The fault is on. It applies from your next request.' : 'The fault is off.') + restarts, true);
  return true;
}

/**
 * While such a rule is set, each response closes its connection. A request on every open connection lets the fault apply
 * from the next request on.
 */
async function closeConnections() {
  await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => read('/sandbox')));
}

function show(current) {
  rules = current;
  for (const one of switches) one.checked = rules.some((rule) => isRuleOf(one, rule));
  const foreign = rules.filter(isForeign).map((rule) => {
    const item = make('li');
    item.append(make('code', JSON.stringify(rule)));
    return item;
  });
  onlyFirst.hidden = rules.length < 2;
  others.hidden = foreign.length === 0;
  others.querySelector('ul').replaceChildren(...foreign);
}

function isForeign(rule) {
  return !switches.some((one) => isRuleOf(one, rule));
}

function isRuleOf(one, rule) {
  return sorted(rule) === sorted(JSON.parse(one.dataset.rule));
}

/** The JSON of a value with its members in alphabetical order. */
function sorted(value) {
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${name}:${sorted(value[name])}`).join()}}`;
}
