/** What a description tells about the texts of a tester: which words are names, and which operation a text is about. */
import { hash } from 'node:crypto';
import { readAsset } from '../../src/util/assets.ts';

export interface Vocabulary {
  /** The SHA-256 of the description. */
  readonly sha256: string;
  /** Names of members, header fields and types. They are not random: a different name is a different finding. */
  readonly words: ReadonlySet<string>;
  /**
   * The operationId of the first operation in a text, written as `GET /plants/12`, `GET:/plants/{id}` or `getPlant`.
   */
  operationIn(text: string): string | undefined;
}

/** The part of an OpenAPI description that is read. */
interface Description {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string } | undefined>>>>;
}

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
    const parts = path.split(/\{[^}]*\}/).map(escapePattern);
    const matches = new RegExp(`^${parts.join('[^/]+')}/?$`);
    return Object.entries(item).map(([method, operation]) => ({ method, matches, id: operation?.operationId }));
  });
  const ids = operations.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const named = new RegExp(`\\b(?:${ids.map(escapePattern).join('|')})\\b`);
  return {
    sha256: hash('sha256', json),
    words,
    operationIn(text) {
      for (const [, method = '', path = ''] of text.matchAll(REQUEST)) {
        const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
        const found = operations.find((one) => one.method === asked && one.matches.test(path));
        if (found !== undefined) return found.id;
      }
      return ids.length === 0 ? undefined : named.exec(text)?.[0];
    },
  };
}

const escapePattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

export const PLANT_STORE = readVocabulary(readAsset('contract/openapi.served.json').toString());
