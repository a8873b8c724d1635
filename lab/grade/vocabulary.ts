/** What a description tells about the texts of a tester: which words are names, and which operation a text is about. */
import { hash } from 'node:crypto';

export interface Vocabulary {
  /** The SHA-256 of the description. */
  readonly sha256: string;
  /** Names of members, header fields and types. They are not random: a different name is a different finding. */
  readonly words: ReadonlySet<string>;
  /**
   * The operationId of the first operation in a text, written as `GET /plants/12`, `[GET] /plants/12`,
   * `GET:/plants/{id}` or `getPlant`. In the name of a function it can be a part, such as `TestGetPlantMissing`,
   * `test_get_plant_missing` or `TestPlants/GET_/plants/12`.
   */
  operationIn(text: string): string | undefined;
}

/** The part of an OpenAPI description that is read. */
interface Description {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string } | undefined>>>>;
}

/** The most characters of a text in which an operation is looked for. */
const MAX_READ = 10_000;
const METHODS = 'GET|HEAD|PUT|POST|PATCH|DELETE|OPTIONS|TRACE';
/** A method and a path, which may follow an expected status, as in `GET (200) /plants`, or a scheme and a host. */
const REQUEST = new RegExp(`\\b(${METHODS})\\]?[ :]+(?:\\(\\d{3}\\) )?(?:[a-z]+://[^/\\s]*)?(/[^\\s?#"'\`\\])]*)`, 'g');
/** Go writes `_` for a blank in the name of a test. */
const JOINED = new RegExp(`\\b(${METHODS})_(/[^\\s_?#"'\`\\])]*)`, 'g');

export function readVocabulary(json: string): Vocabulary {
  const words = new Set<string>();
  const description = JSON.parse(json, (key, value) => {
    if (key !== '') words.add(key);
    if (key === 'type') words.add(String(value));
    return value;
  }) as Description;
  const operations = Object.entries(description.paths ?? {}).flatMap(([path, item]) => {
    const matches = matcherOf(path);
    return Object.entries(item).map(([method, operation]) => ({ method, matches, id: operation?.operationId }));
  });
  const ids = operations.flatMap(({ id }) => (id === undefined ? [] : [id]));
  // The longest comes first: `getPlantById` is not `getPlant`.
  const longest = ids.toSorted((one, other) => other.length - one.length);
  const named = new RegExp(longest.map((id) => `(${patternOf(id)})`).join('|'));
  return {
    sha256: hash('sha256', json),
    words,
    operationIn(text) {
      const read = text.slice(0, MAX_READ);
      for (const [, method = '', path = ''] of [...read.matchAll(REQUEST), ...read.matchAll(JOINED)]) {
        const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
        // The path may be followed by a comma, or by the end of a sentence.
        const written = path.replace(/[.,:;]+$/, '');
        const found = operations.find((one) => one.method === asked && one.matches(written));
        if (found !== undefined) return found.id;
      }
      const [, ...groups] = (ids.length > 0 && named.exec(read)) || [];
      return longest[groups.findIndex((group) => group !== undefined)];
    },
  };
}

/** Tells whether a path, perhaps with a slash at the end, fits a path with templates such as `/plants/{id}`. */
function matcherOf(template: string): (path: string) => boolean {
  // Adjacent templates are one. An expression for several in a segment would try each way to share out the segment.
  const segments = template.split('/').map((segment) => segment.split(/(?:\{[^{}]*\})+/));
  return (path) => {
    const given = path.split('/');
    if (given.length === segments.length + 1 && given.at(-1) === '') given.pop();
    return given.length === segments.length && segments.every((parts, i) => isMadeOf(given[i] ?? '', parts));
  };
}

/** Whether a segment consists of the parts, in order, with at least one character between each two. */
function isMadeOf(segment: string, [first = '', ...parts]: readonly string[]): boolean {
  const last = parts.pop();
  if (last === undefined) return segment === first;
  let at = first.length;
  for (const part of parts) {
    const found = segment.indexOf(part, at + 1);
    if (found === -1) return false;
    at = found + part.length;
  }
  return segment.startsWith(first) && segment.endsWith(last) && at + last.length < segment.length;
}

/** Matches an operationId as a word of its own, or as words of a name in camelCase or snake_case. */
function patternOf(id: string): string {
  const [first = '', ...others] = id.split(/(?<=[a-z0-9])(?=[A-Z])/);
  const begin = `(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))${inEitherCase(first)}`;
  return `${begin}${others.map((word) => `_?${inEitherCase(word)}`).join('')}(?![a-z0-9])`;
}

/** Matches a word that begins with a capital or a small letter. */
function inEitherCase(word: string): string {
  const [first = '', rest] = [word.slice(0, 1), escapePattern(word.slice(1))];
  return `(?:${escapePattern(first.toUpperCase())}|${escapePattern(first.toLowerCase())})${rest}`;
}

const escapePattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
