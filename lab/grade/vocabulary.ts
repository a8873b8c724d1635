/** What a description tells about the texts of a tester: which words are names, and which operation a text is about. */
import { hash } from 'node:crypto';

export interface Vocabulary {
  /** The SHA-256 of the description. */
  readonly sha256: string;
  /** Names of members, header fields and types. They are not random: a different name is a different finding. */
  readonly words: ReadonlySet<string>;
  /**
   * The operationId of the first operation in a text, written as `GET /plants/12`, `GET:/plants/{id}` or `getPlant`.
   * In the name of a function, `_` or a capital letter may follow, as in `test_getPlant_missing`.
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
const REQUEST = new RegExp(`\\b(${METHODS})[ :]+(?:\\(\\d{3}\\) )?(?:[a-z]+://[^/\\s]*)?(/[^\\s?#"'\`\\])]*)`, 'g');

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
  const longest = ids.toSorted((one, other) => other.length - one.length).map(escapePattern);
  const named = new RegExp(`(?<![A-Za-z0-9])(?:${longest.join('|')})(?![a-z0-9])`);
  return {
    sha256: hash('sha256', json),
    words,
    operationIn(text) {
      for (const [, method = '', path = ''] of text.slice(0, MAX_READ).matchAll(REQUEST)) {
        const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
        const found = operations.find((one) => one.method === asked && one.matches(path));
        if (found !== undefined) return found.id;
      }
      return ids.length === 0 ? undefined : named.exec(text.slice(0, MAX_READ))?.[0];
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

const escapePattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
