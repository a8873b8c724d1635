/** Defects of input: a text in a body causes a 500. */
import type { Plant, TierDefect } from './defect.ts';
import { FIELDS, type Field, fieldOf, schemaOf, titleOf } from './examples.ts';
import { changeBody } from './planting.ts';
import { forEach, pairs } from './variants.ts';

/** Fails if `breaks` chooses the value of a field. */
const failAt = ([id, member]: Field, breaks: (value: unknown) => boolean): Plant =>
  changeBody(id, (clean, count) => (value, ...rest) => {
    if (!breaks(Object(value)[member])) return clean.read(value, ...rest);
    count();
    throw new Error('a planted defect');
  });

export const failureDefects: readonly TierDefect[] = [
  forEach(
    'fails-at-a-valid-text',
    pairs<Field, readonly [what: string, example: string, pattern: RegExp]>(FIELDS, [
      ['an emoji', '"🌵"', /[\u{10000}-\u{10ffff}]/u],
      ['a quotation mark', '"the \\"queen\\""', /"/],
      ['an apostrophe', '"queen\\u0027s"', /'/],
      ['a line feed', '"Aloe\\nvera"', /\n/],
    ]),
    ([field, [what, example, pattern]]) => ({
      does: `${titleOf(field)} that has ${what} causes a 500.`,
      breaks: `${schemaOf(field)}/pattern`,
      ...fieldOf(field, example, 200),
      classes: { wfc: [100], cwe: 176 },
      plant: failAt(field, (value) => typeof value === 'string' && pattern.test(value)),
    }),
  ),
  forEach(
    'fails-at-a-forbidden-character',
    pairs<Field, readonly [what: string, example: string, breaks: (text: string) => boolean]>(FIELDS, [
      ['an unpaired surrogate', '"\\ud800"', (text) => !text.isWellFormed()],
      ['U+0000', '"\\u0000"', (text) => text.includes('\0')],
    ]),
    ([field, [what, example, breaks]]) => ({
      does: `${titleOf(field)} that has ${what} causes a 500.`,
      breaks: 'without U+0000 or unpaired surrogates',
      ...fieldOf(field, example, 400),
      classes: { wfc: [100], cwe: 176 },
      plant: failAt(field, (value) => typeof value === 'string' && breaks(value)),
    }),
  ),
  forEach(
    'fails-at-another-type',
    pairs<Field, readonly [what: string, example: string, breaks: (value: unknown) => boolean]>(FIELDS, [
      [
        'an object',
        '{"en": "Aloe vera"}',
        (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      ],
      ['an array', '["Aloe vera"]', Array.isArray],
      ['a number', '5', (value) => typeof value === 'number'],
      ['true or false', 'true', (value) => typeof value === 'boolean'],
    ]),
    ([field, [what, example, breaks]]) => ({
      does: `${titleOf(field)} that is ${what} causes a 500.`,
      breaks: `${schemaOf(field)}/type`,
      ...fieldOf(field, example, 400),
      classes: { wfc: [100], cwe: 248 },
      plant: failAt(field, breaks),
    }),
  ),
];
