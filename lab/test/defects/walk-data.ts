/** The inputs of the walk: values on both sides of each rule. */

const json = JSON.stringify;
const letters = (count: number, one = 'a') => one.repeat(count);

/**
 * Bodies of POST and PUT, on both sides of each rule. The walk replaces the id 100 by another in each body. Add new
 * ones at the end, since the walk later reads some of the plants by their place in this list.
 */
export const BODIES: readonly (string | Buffer)[] = [
  ...[
    { name: 'Aloe' },
    { id: 100 },
    {},
    { id: 100, name: '' },
    { id: 100, name: null },
    { id: 100, name: 5 },
    { id: 100, name: true },
    { id: 100, name: {} },
    { id: 100, name: [] },
    { id: 100, name: ' Aloe  vera ' },
    { id: 100, name: 'ALOE vera' },
    { id: 100, name: '<b>Aloe</b> & "vera"' },
    { id: 100, name: "Aloe'; DROP TABLE plants; --" },
    { id: 100, name: 'Ale\u0301e' },
    { id: 100, name: 'a\nb\tc' },
    { id: 100, name: '🌵' },
    { id: 100, name: 'Ålöe ✿' },
    { id: 100, name: 'a\u0000b' },
    { id: 100, name: letters(1023) },
    { id: 100, name: letters(1024) },
    { id: 100, name: letters(1025) },
    { id: 100, name: letters(1026) },
    { id: 100, name: letters(1024, '🌵') },
    { id: 100, name: letters(1025, '🌵') },
    { id: 100, name: letters(513, '🌵') },
    { id: 100, name: letters(513, 'é') },
    { id: 100, name: letters(255) },
    { id: 100, name: letters(256) },
    { id: 100, name: 'Aloe', tag: '' },
    { id: 100, name: 'Aloe', tag: null },
    { id: 100, name: 'Aloe', tag: 5 },
    { id: 100, name: 'Aloe', tag: [] },
    { id: 100, name: 'Aloe', tag: {} },
    { id: 100, name: 'Aloe', tag: true },
    { id: 100, name: 'Aloe', tag: ' succulent ' },
    { id: 100, name: 'Aloe', tag: '🌵' },
    { id: 100, name: 'Aloe', tag: 'a\u0000b' },
    { id: 100, name: 'Aloe', tag: `"${"it's"}"\n` },
    { id: 100, name: 'Aloe', tag: letters(1024) },
    { id: 100, name: 'Aloe', tag: letters(1025) },
    { id: 100, name: 'Aloe', tag: letters(1024, '🌵') },
    { id: 100, name: 'Aloe', tag: letters(1025, '🌵') },
    { id: 100, name: 'Aloe', color: 'green', version: 7 },
    { id: '100', name: 'Aloe' },
    { id: 100.5, name: 'Aloe' },
    { id: true, name: 'Aloe' },
    { id: null, name: 'Aloe' },
    { id: [], name: 'Aloe' },
    { id: {}, name: 'Aloe' },
    [],
    null,
    'text',
    12,
  ].map((body) => json(body)),
  '{"id": 100.0, "name": "Aloe"}',
  '{"id": 1e2, "name": "Aloe"}',
  '{"id": 100, "name": "\\ud800"}',
  '{"id": 100, "name": "Aloe", "tag": "\\udc00"}',
  '{"id": 100, "name": "Aloe", "name": "Agave"}',
  '{"id": 100, "name": "Aloe",}',
  "{'id': 100, 'name': 'Aloe'}",
  '{"id": 100, "name": "Aloe"} // a comment',
  '{"id": 100, "name": "Aloe"',
  '\ufeff{"id": 100, "name": "Aloe"}',
  '{"id": 0100, "name": "Aloe"}',
  '{"id": NaN, "name": "Aloe"}',
  '',
  '  ',
  Buffer.from('{"id": 100, "name": "Al\xffe"}', 'latin1'),
  `{"id": 100, "name": "Aloe", "more": "${letters(65_497)}"}`,
  `{"id": 100, "name": "Aloe", "more": "${letters(65_600)}"}`,
  '{"id": 100, "name": 1.5}',
  '{"id": 100, "name": "Aloe" /* a comment */}',
  '{"id": 100, "name": "Aloe"} 12',
  '{"id": 100, "name": "Al\toe"}',
  '{id: 100, name: "Aloe"}',
];

export const TYPES = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json; charset=iso-8859-1',
  'application/json-patch+json',
  'application/json-seq',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'application/xml',
  'text/plain',
  'text/json',
  'multipart/form-data; boundary=x',
  '',
];

export const IDS = [
  ...['0', '-1', '7', '27', '9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808'],
  ...['9223372036854775806', '-9223372036854775807', '9223372036854775808', '-9223372036854775809'],
  ...['012', '+12', '12.0', '1.2e1', '0x0c', '-0', '%31%32', '12%20', 'twelve', '%ff', '12/', '12/name'],
  ...['%2B12', '%2012', '12abc', '2147483648', '4294967296'],
];

export const CONDITIONS = ['"0"', '*', '"0", "1"', 'W/"0"', '0', '"', ''];

export const QUERIES = [
  ...['limit=0', 'limit=1', 'limit=2', 'limit=999', 'limit=1000', 'limit=1001', 'limit=1002', 'limit=-1', 'limit=2.0'],
  ...['limit=02', 'limit=', 'limit=two', 'limit=1&limit=2', 'limit=%32', 'limit=2&limit=2', 'limit=101', 'limit=100'],
  ...['tag=succulent', 'tag=Succulent', 'tag=succ', 'tag=succulents', 'tag=', 'tag=nothing', 'tag=%00', 'tag=a%20b'],
  ...['tag=a+b', 'tag=%ff', 'tag=succulent&tag=other', 'tag=%F0%9F%8C%B5', `tag=${letters(1025)}`, 'unknown=1'],
  `tag=${letters(101)}`,
  ...['after=', 'after=x', `after=${letters(32, 'A')}`, 'tag=succulent&limit=2', 'limit=11', 'limit=0&tag=%00'],
];

/** Tags that a careless comparison takes for `succulent`. */
export const TAGS = [
  ...['succulent, green', 'green succulent', 'a succulent, too', 'succ', 'sucker', 'evergreen', ' succulent '],
  ...['succu lent', 'succulént', 'succu-lent', 'ｓucculent'],
];
