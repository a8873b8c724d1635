/** Owns the promise that a description is served as it is written or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDescription, readDescription } from '../../src/contract/document.ts';
import { compileOperations } from '../../src/contract/operation.ts';

/** The description as a value to be changed at will. */
interface Open {
  [key: string]: Open;
}

const CREATE = 'paths /plants post';
const PARAMETER = 'components parameters IfMatch';

const REFUSED: readonly (readonly [what: string, path: string, value: unknown, why: RegExp])[] = [
  ['an operation of another method', 'paths /plants head', { operationId: 'head' }, /\/plants .* head/],
  ['a path elsewhere', 'paths /plants $ref', '#/components/pathItems/Plants', /\/plants .* \$ref/],
  ['a parameter in a cookie', `${PARAMETER} in`, 'cookie', /If-Match/],
  ['a parameter that is neither text nor integer', `${PARAMETER} schema`, { type: 'array' }, /If-Match/],
  ['a body that may be absent', `${CREATE} requestBody required`, false, /createPlant .* body/],
  ['a range of statuses', `${CREATE} responses 4XX`, { description: 'any' }, /createPlant .* 4XX/],
  ['any status', `${CREATE} responses default`, { description: 'any' }, /createPlant .* default/],
  ['an answer that is not JSON', `${CREATE} responses 200 content`, { 'text/plain': {} }, /createPlant .* text\/plain/],
  ['an answer of members told apart', 'components schemas Plant', { allOf: [{ type: 'object' }] }, /allOf/],
  ['an answer of any members', 'components schemas Plant', { type: 'object' }, /object/],
];

for (const [what, path, value, why] of REFUSED) {
  test(`${what} is refused at the start, since nobody here implements it`, () => {
    const description = parseDescription(readDescription());
    const keys = path.split(' ');
    const last = keys.pop() as string;
    const target = keys.reduce((node, key) => node[key] as Open, description as unknown as Open);
    target[last] = value as Open;
    assert.throws(() => compileOperations(description), why);
  });
}
