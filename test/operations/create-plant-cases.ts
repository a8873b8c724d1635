/** The table of create requests, their responses, and what is stored. */
import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '../../src/errors.ts';
import type { Plant } from '../../src/plants/plant.ts';
import type { Call } from '../harness/client.ts';

/** Returns a body. Its parameter is the decimal text of a new id. */
type Body = (id: string) => string | Buffer;
type Extra = Pick<Call, 'headers'> & {
  /** The id in the body. Default: the new id. */
  readonly id?: bigint;
  /** Sends the body chunked, in pieces of this many bytes. */
  readonly pieces?: number;
};
type Accepted = readonly [title: string, body: Body, plant: Plant, extra?: Extra];
type Refused = readonly [title: string, body: Body | undefined, error: ErrorCode, fields: string, extra?: Extra];

export const LIMIT = 65_536;
const SEEDLING = '\u{1F331}';

/** A member `name` with this JSON text, followed by further members. */
const name =
  (text: string, more = ''): Body =>
  (id) =>
    `{"id":${id},"name":${text}${more}}`;
const aloe = name('"Aloe"');
const ALOE = { name: 'Aloe' };
/** A plant whose id has this JSON text. */
const id =
  (text: string): Body =>
  () =>
    `{"id":${text},"name":"Aloe"}`;
const means = (value: bigint): Extra => ({ id: value });
const type = (value: string | undefined): Extra => ({ headers: { 'Content-Type': value } });
const padded =
  (length: number): Body =>
  (fresh) =>
    String(aloe(fresh)).padEnd(length);
const bytes =
  (...parts: (string | number)[]): Body =>
  (fresh) =>
    Buffer.concat([
      Buffer.from(`{"id":${fresh},"name":"`),
      ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))),
      Buffer.from('"}'),
    ]);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

export const accepted: readonly Accepted[] = [
  ['only a name', aloe, ALOE],
  ['a name and a tag', name('"Aloe","tag":"succulent"'), { name: 'Aloe', tag: 'succulent' }],
  // Ids
  ['the greatest int64', id('9223372036854775807'), ALOE, means(2n ** 63n - 1n)],
  ['the least int64', id('-9223372036854775808'), ALOE, means(-(2n ** 63n))],
  ['2^53 - 1', id('9007199254740991'), ALOE, means(2n ** 53n - 1n)],
  ['2^53', id('9007199254740992'), ALOE, means(2n ** 53n)],
  ['2^53 + 1', id('9007199254740993'), ALOE, means(2n ** 53n + 1n)],
  ['-2^53 + 1', id('-9007199254740991'), ALOE, means(-(2n ** 53n) + 1n)],
  ['-2^53 - 1', id('-9007199254740993'), ALOE, means(-(2n ** 53n) - 1n)],
  ['12.0', id('12.0'), ALOE, means(12n)],
  ['1.3e1', id('1.3e1'), ALOE, means(13n)],
  ['140e-1', id('140e-1'), ALOE, means(14n)],
  ['0.15E+2', id('0.15E+2'), ALOE, means(15n)],
  ['a thousand zeros after the point', id(`16.${'0'.repeat(1_000)}`), ALOE, means(16n)],
  ['the second greatest int64, with an exponent', id('9.223372036854775806e18'), ALOE, means(2n ** 63n - 2n)],
  ['the third greatest int64, with a fraction of zero', id('9223372036854775805.00'), ALOE, means(2n ** 63n - 3n)],
  ['-0, which is 0', id('-0'), ALOE, means(0n)],
  ['the integer 1 with an exponent that no double can hold', id(`1${'0'.repeat(400)}e-400`), ALOE, means(1n)],
  // Text
  ['an emoji', name(`"${SEEDLING}"`), { name: SEEDLING }],
  ['an emoji as an escaped pair', name('"\\ud83c\\udf31"'), { name: SEEDLING }],
  ['newlines, tabs, quotes and backslashes', name('"a\\n\\tb\\"c\\\\d\\/e"'), { name: 'a\n\tb"c\\d/e' }],
  ['control characters other than U+0000', name('"\\u0001\\u001f\x7f"'), { name: '\u0001\u001f\u007f' }],
  ['an empty name', name('""'), { name: '' }],
  ['an empty tag', name('"Aloe","tag":""'), { name: 'Aloe', tag: '' }],
  ['1,024 characters', name(`"${'a'.repeat(1_024)}"`), { name: 'a'.repeat(1_024) }],
  ['1,024 characters outside the BMP', name(`"${SEEDLING.repeat(1_024)}"`), { name: SEEDLING.repeat(1_024) }],
  [
    '1,024 characters of a tag outside the BMP',
    name(`"Aloe","tag":"${SEEDLING.repeat(1_024)}"`),
    { name: 'Aloe', tag: SEEDLING.repeat(1_024) },
  ],
  ['characters that would normalise', name('"e\u0301 \u00e9 \uff21"'), { name: 'e\u0301 \u00e9 \uff21' }],
  [
    'noncharacters, and a byte order mark inside the text',
    name('"\ufffe\uffff\ufeff"'),
    { name: '\ufffe\uffff\ufeff' },
  ],
  ['line separators', name('"\u2028\u2029\u0085"'), { name: '\u2028\u2029\u0085' }],
  ['blanks at both ends', name('"  Aloe  "'), { name: '  Aloe  ' }],
  ['a name that looks like a number', name('"12"'), { name: '12' }],
  ['a name with SQL in it', name('"\'); DROP TABLE plants; --"'), { name: "'); DROP TABLE plants; --" }],
  // Members
  ['an extra member', name('"Aloe","colour":"green"'), ALOE],
  ['an extra member that is null', name('"Aloe","colour":null'), ALOE],
  ['an extra member with a lone surrogate', name('"Aloe","colour":"\\ud800"'), ALOE],
  ['an extra number that no double can hold', name('"Aloe","size":1e400'), ALOE],
  ['a member __proto__', name('"Aloe","__proto__":{"tag":"polluted"}'), ALOE],
  ['members constructor and toString', name('"Aloe","constructor":1,"toString":2'), ALOE],
  ['an extra member nested 20,000 deep', name('"Aloe"', `,"deep":${nested(20_000)}`), ALOE],
  [
    'an extra member nested 20,000 deep beside an id with a fraction',
    id(`17.0,"deep":${nested(20_000)}`),
    ALOE,
    means(17n),
  ],
  ['a duplicate name: the last counts', name('"first","name":"Aloe"'), ALOE],
  ['a duplicate name of another type: the last counts', name('12,"name":"Aloe"'), ALOE],
  ['a duplicate id: the last counts', id('12.5,"id":18.0'), ALOE, means(18n)],
  ['escaped member names', (fresh) => `{"\\u0069d":${fresh},"n\\u0061me":"Aloe"}`, ALOE],
  ['blanks everywhere', (fresh) => ` \r\n\t{ "id" : ${fresh} , "name" : "Aloe" } \n`, ALOE],
  // Fields of the header
  ['charset utf-8', aloe, ALOE, type('application/json; charset=utf-8')],
  ['charset UTF-8 without a blank', aloe, ALOE, type('application/json;charset=UTF-8')],
  ['a quoted charset', aloe, ALOE, type('application/json; charset="utf-8"')],
  ['a quoted charset in upper case with blanks around it', aloe, ALOE, type('Application/JSON \t; CHARSET="UTF-8" ')],
  ['a semicolon without a parameter', aloe, ALOE, type('application/json; ;charset=utf-8;')],
  ['a media type in upper case', aloe, ALOE, type('APPLICATION/JSON')],
  ['an Accept that excludes JSON', aloe, ALOE, { headers: { Accept: 'text/html' } }],
  // Framing
  ['a body of exactly the limit', padded(LIMIT), ALOE],
  ['a chunked body of exactly the limit', padded(LIMIT), ALOE, { pieces: 10_000 }],
  ['a chunked body split inside a character', name(`"${SEEDLING}"`), { name: SEEDLING }, { pieces: 1 }],
];

const shown = (text: string) => (text.length > 40 ? `${text.slice(0, 20)}… of ${text.length} characters` : text);
const notAnId = (text: string): Refused => [`the id ${shown(text)}`, id(text), 40005, 'id'];
const notAName = (text: string): Refused => [`the name ${shown(text)}`, name(text), 40005, 'name'];
const notATag = (text: string): Refused => [`the tag ${shown(text)}`, name(`"Aloe","tag":${text}`), 40005, 'tag'];

export const refused: readonly Refused[] = [
  ['no body', undefined, 40001, '', type('application/json')],
  ['an empty body', () => '', 40001, ''],
  ['an empty chunked body', () => '', 40001, '', { pieces: 1 }],
  // Media type
  ['no Content-Type', aloe, 40002, '', type(undefined)],
  ['an empty Content-Type', aloe, 40002, '', type('')],
  ['a form', () => 'id=1&name=Aloe', 40002, '', type('application/x-www-form-urlencoded')],
  ...[
    ...['text/plain', 'multipart/form-data; boundary=x', 'application/vnd.plant+json', 'application/json5', 'json'],
    ...['application/json, text/plain', 'application/json; charset=utf-16', 'application/json; charset=iso-8859-1'],
  ].map((other): Refused => [other, aloe, 40002, '', type(other)]),
  ...[
    ...['charset=utf-8; charset=utf-16', 'charset=utf-16; charset=utf-8', 'charset', 'charset=', 'charset=""', 'foo'],
    ...['version=1', 'charset="utf-8', 'charset=utf-8"', "charset='utf-8'", 'charset =utf-8', 'charset= utf-8'],
    ...['charset=utf-8 charset=utf-8', 'charset=utf-8, text/plain', 'charset=utf8'],
  ].map((parameter): Refused => [parameter, aloe, 40002, '', type(`application/json; ${parameter}`)]),
  ['ten thousand blanks and no parameter', aloe, 40002, '', type(`application/json;${' '.repeat(10_000)}x`)],
  ['gzip', (fresh) => gzipSync(aloe(fresh)), 40002, '', { headers: { 'Content-Encoding': 'gzip' } }],
  ['a Content-Encoding of identity', aloe, 40002, '', { headers: { 'Content-Encoding': 'identity' } }],
  // Size
  ['a body one byte over the limit', padded(LIMIT + 1), 40003, ''],
  ['a chunked body one byte over the limit', padded(LIMIT + 1), 40003, '', { pieces: 10_000 }],
  ['a body of a mebibyte', padded(2 ** 20), 40003, ''],
  ['a chunked body of a mebibyte', padded(2 ** 20), 40003, '', { pieces: 50_000 }],
  // JSON
  ...[' \n', '{', '{"id":1,"name":"Al', 'plant', "{'id':1}"].map(
    (body): Refused => [JSON.stringify(body), () => body, 40004, ''],
  ),
  // These are not numbers in JSON.
  ...['NaN', '012', '+12', '12.', '0x0c'].map((text): Refused => [`the id ${text}`, id(text), 40004, '']),
  ['a comma at the end', name('"Aloe",'), 40004, ''],
  ['a comment', name('"Aloe" /* green */'), 40004, ''],
  ['two values', (fresh) => `${aloe(fresh)}${aloe(fresh)}`, 40004, ''],
  ['a newline within a string', name('"a\nb"'), 40004, ''],
  ['an unknown escape', name('"\\x41"'), 40004, ''],
  ['a byte that is not UTF-8', bytes('a', 0xff, 'b'), 40004, ''],
  ['a character cut short', bytes('a', 0xc3), 40004, ''],
  ['an overlong encoding', bytes(0xc0, 0xaf), 40004, ''],
  ['a surrogate encoded as UTF-8', bytes(0xed, 0xa0, 0x80), 40004, ''],
  ['a code point beyond Unicode', bytes(0xf4, 0x90, 0x80, 0x80), 40004, ''],
  ['a NUL byte within a string', bytes(0), 40004, ''],
  ['a byte order mark', (fresh) => `\ufeff${aloe(fresh)}`, 40004, ''],
  ['UTF-16', (fresh) => Buffer.from(String(aloe(fresh)), 'utf16le'), 40004, ''],
  ['20,000 brackets that do not close', () => '['.repeat(20_000), 40004, ''],
  // The schema
  ['an empty object', () => '{}', 40005, 'id name'],
  ['an array with a plant', (fresh) => `[${aloe(fresh)}]`, 40005, 'the body'],
  ['20,000 brackets', () => nested(20_000), 40005, 'the body'],
  ...['null', '"plant"', '12', '[]'].map((body): Refused => [body, () => body, 40005, 'the body']),
  ['only members of __proto__', () => '{"__proto__":{"id":1,"name":"Aloe"}}', 40005, 'id name'],
  ['members in another case', () => '{"ID":1,"Name":"Aloe"}', 40005, 'id name'],
  ['no id', () => '{"name":"Aloe"}', 40005, 'id'],
  ['no name', (fresh) => `{"id":${fresh}}`, 40005, 'name'],
  ['an id that is too great only in its text, and no name', () => '{"id":9223372036854775808}', 40005, 'name id'],
  [
    'an id that is too great only in its text, and a name and a tag that are numbers',
    () => '{"id":9223372036854775808,"name":5,"tag":6}',
    40005,
    'id name tag',
  ],
  ['an id with a fraction that a double loses, and no name', () => '{"id":4.00000000000000000001}', 40005, 'name id'],
  ['an id that is too great even as a double, and no name', () => '{"id":1e30}', 40005, 'name id'],
  ['everything wrong', () => '{"id":"1","name":2,"tag":3}', 40005, 'id name tag'],
  ...['null', '"12"', 'true', '[12]', '{}', '12.5', '-0.5'].map(notAnId),
  // Ids beyond int64, as integers and in other notations.
  ...['9223372036854775808', '-9223372036854775809', '9223372036854775808.0', '9'.repeat(60_000)].map(notAnId),
  ...['1e19', '1e400', '-1e400', '1e-400', '1e999999999', '1e-999999999'].map(notAnId),
  // Ids with fractions that a double loses.
  ...['4.00000000000000000001', `1.${'0'.repeat(60_000)}1`, '9223372036854775806.5'].map(notAnId),
  ['a duplicate id: the last counts', id('12,"id":12.5'), 40005, 'id'],
  ...['null', '12', 'false', '["Aloe"]', '{"en":"Aloe"}', `"${'a'.repeat(1_025)}"`].map(notAName),
  // U+0000, lone surrogates, and a pair in the wrong order.
  ...[`"${SEEDLING.repeat(1_025)}"`, '"a\\u0000b"', '"\\ud83c"', '"\\udf31a"', '"\\udf31\\ud83c"'].map(notAName),
  ...['null', '0', '[]', `"${'a'.repeat(1_025)}"`, '"\\u0000"', '"\\udfff"'].map(notATag),
];
