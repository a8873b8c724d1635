/** Defects of input: a text in a body causes a 500. */
import { changeOperation, type Plant, type TierDefect } from './defect.ts';
import { FIELDS, type Field, schemaOf, showField, titleOf } from './fields.ts';
import { forEach, pairs } from './variants.ts';

/** Fails if `breaks` chooses the value of a field. */
function failAt([id, member]: Field, breaks: (value: unknown) => boolean): Plant {
  return (count) =>
    changeOperation(id, (operation) => {
      const { body } = operation;
      if (body === undefined) return operation;
      const read: typeof body.read = (value, ...rest) => {
        if (!breaks(Object(value)[member])) return body.read(value, ...rest);
        count();
        throw new Error('a planted defect');
      };
      return { ...operation, body: { ...body, read } };
    });
}

export const failureDefects: readonly TierDefect[] = [
  forEach(
    'fails-at-an-emoji',
    pairs<Field, readonly [what: string, example: string, pattern: RegExp]>(FIELDS, [
      ['an emoji', '"🌵"', /[\u{10000}-\u{10ffff}]/u],
      ['a quotation mark', '"the \\"queen\\""', /"/],
      ['an apostrophe', '"queen\\u0027s"', /'/],
      ['a line feed', '"Aloe\\nvera"', /\n/],
    ]),
    ([field, [what, example, pattern]]) => ({
      does: `${titleOf(field)} that has ${what} causes a 500.`,
      breaks: `${schemaOf(field)}/pattern`,
      ...showField(field, example, 200),
      wfc: [100],
      cwe: 176,
      plant: failAt(field, (value) => typeof value === 'string' && pattern.test(value)),
    }),
  ),
  forEach(
    'fails-at-a-surrogate',
    pairs<Field, readonly [what: string, example: string, breaks: (text: string) => boolean]>(FIELDS, [
      ['an unpaired surrogate', '"\\ud800"', (text) => !text.isWellFormed()],
      ['U+0000', '"\\u0000"', (text) => text.includes('\0')],
    ]),
    ([field, [what, example, breaks]]) => ({
      does: `${titleOf(field)} that has ${what} causes a 500.`,
      breaks: 'without U+0000 or unpaired surrogates',
      ...showField(field, example, 400),
      wfc: [100],
      cwe: 176,
      plant: failAt(field, (value) => typeof value === 'string' && breaks(value)),
    }),
  ),
  forEach(
    'fails-at-an-object',
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
      ...showField(field, example, 400),
      wfc: [100],
      cwe: 248,
      plant: failAt(field, breaks),
    }),
  ),
];
