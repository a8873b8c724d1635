/** Shows the fault rules of the sandbox, and switches for some of them. A switch changes only its own rule. */
import { countOf, make } from './make.js';
import { read, say, send } from './sandbox.js';

/** The most connections that a browser opens to a host. */
const MAX_CONNECTIONS = 6;

const switches = [...document.querySelectorAll('#sandbox input[data-rule]')];
const onlyFirst = document.querySelector('#sandbox-first');
const others = document.querySelector('#sandbox-others');
const fieldset = document.querySelector('#sandbox fieldset');
let rules = [];
/** Other rules that this page switched off, so that it can switch them on again. */
let switchedOff = [];
/** The rules and those that are switched off, in their order: the first rule that matches applies. */
let ordered = [];
/** The newest change of the rules; resolves to whether it succeeded. */
let changing = Promise.resolve();
/** The switches of other rules, by rule. */
const items = new Map();

/** Reads the rules, which other clients may have changed. */
export async function showFaults() {
  const before = rules;
  const response = await read('/sandbox/faults');
  const text = await response?.text();
  // If the page has changed the rules since, this read is older.
  if (text !== undefined && rules === before) show(parse(text));
}

/** Empty if there are no rules. */
export const countFaults = () => (rules.length === 0 ? '' : countOf(rules.length, 'fault'));

export function enableFaults(isEnabled) {
  fieldset.disabled = !isEnabled;
  if (isEnabled) return;
  switchedOff = [];
  show([]);
}

/** Calls `changed` after each change. */
export function listenToSwitches(changed) {
  for (const one of switches) {
    one.addEventListener('change', async () => {
      await turn(one, ruleOf(one));
      changed();
    });
  }
  others.addEventListener('change', async ({ target }) => {
    await turn(target, ruleOf(target));
    changed();
  });
}

const ruleOf = ({ dataset }) => parse(dataset.rule);

/** Does what the changed switch shows, or else turns the switch back. Changes take turns, so that none undoes another. */
async function turn(one, rule) {
  const isOn = one.checked;
  changing = changing.then(() => change(rule, isOn)).catch(() => false);
  if (!(await changing)) one.checked = !isOn;
}

/** `rule`: what the switch turns on or off. */
async function change(rule, isOn) {
  const response = await send('GET', '/sandbox/faults');
  if (response === undefined) return false;
  const current = parse(await response.text());
  const wanted = isOn ? withRule(current, rule) : current.filter((other) => !isSame(other, rule));
  const changed = await send('PUT', '/sandbox/faults', wanted);
  if (changed === undefined) return false;
  switchedOff = switchedOff.filter((other) => !isSame(other, rule));
  if (!isOn && isForeign(rule)) switchedOff.push(rule);
  show(parse(await changed.text()));
  if (isOn && rule.fault.connection === 'first') await closeConnections();
  const restarts = wanted.some((other) => isForeign(other) && !isSame(other, rule))
    ? ' The other rules count from zero again.'
    : '';
  say((isOn ? 'The fault is on. It applies from your next request.' : 'The fault is off.') + restarts, true);
  return true;
}

/** The rules with a rule that is switched on. A rule of another client gets its old place again. */
function withRule(current, rule) {
  if (isForeign(rule)) return inOrder(current).filter((other) => isIn(current, other) || isSame(other, rule));
  // The page's rules come first, in the order of their switches.
  const earlier = switches.map(ruleOf).slice(
    0,
    switches.findIndex((one) => isRuleOf(one, rule)),
  );
  const place = current.findIndex((other) => !isIn(earlier, other));
  return current.toSpliced(place < 0 ? current.length : place, 0, rule);
}

/** The rules with those that are switched off. Each of these follows the rule that it followed before. */
function inOrder(current) {
  const all = [...current];
  for (const [i, rule] of ordered.entries()) {
    if (isIn(current, rule) || !isIn(switchedOff, rule)) continue;
    const before = all.findIndex((other) => i > 0 && isSame(other, ordered[i - 1]));
    all.splice(before + 1, 0, rule);
  }
  return all;
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
  ordered = inOrder(rules);
  for (const one of switches) one.checked = rules.some((rule) => isRuleOf(one, rule));
  const shown = new Map(ordered.filter(isForeign).map((rule) => [sorted(rule), rule]));
  for (const [text, item] of items) {
    if (shown.has(text)) continue;
    item.remove();
    items.delete(text);
  }
  for (const [text, rule] of shown) {
    if (!items.has(text)) items.set(text, otherSwitch(rule));
    items.get(text).querySelector('input').checked = isIn(rules, rule);
  }
  onlyFirst.hidden = rules.length < 2;
  others.hidden = items.size === 0;
}

function otherSwitch(rule) {
  const [item, label, input] = [make('li'), make('label'), make('input')];
  input.type = 'checkbox';
  input.dataset.rule = JSON.stringify(rule);
  label.append(input, make('code', input.dataset.rule));
  item.append(label);
  others.querySelector('ul').append(item);
  return item;
}

/** The id of a plant stays exact beyond the range of a double, also when the page sends the rule again. */
function parse(text) {
  const isExact = (key, context) => key === 'id' && context?.source !== undefined && 'rawJSON' in JSON;
  return JSON.parse(text, (key, value, context) => (isExact(key, context) ? JSON.rawJSON(context.source) : value));
}

function isForeign(rule) {
  return !switches.some((one) => isRuleOf(one, rule));
}

function isRuleOf(one, rule) {
  return isSame(ruleOf(one), rule);
}

function isIn(list, rule) {
  return list.some((other) => isSame(other, rule));
}

function isSame(one, other) {
  return sorted(one) === sorted(other);
}

/** The JSON of a value with its members in alphabetical order. */
function sorted(value) {
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${name}:${sorted(value[name])}`).join()}}`;
}
