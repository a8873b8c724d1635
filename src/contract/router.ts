/** Owns finding the operation of a request: the path first, then the method. */
import type { Operation } from './operation.ts';

interface Route {
  /** By method in upper case; HEAD is not listed, it is GET without a body. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of Allow. */
  readonly allow: string;
}

export interface Match {
  readonly route: Route;
  /** The path's parameters, percent-decoded; undefined where the encoding is broken. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

const NONE = {};

/** Compiles the paths of the operations; the result matches a path without its query, unreserved characters decoded. */
export function compileRouter(operations: readonly Operation[]): (path: string) => Match | undefined {
  const byPath = Map.groupBy(operations, (operation) => operation.path);
  const fixed = new Map<string, Match>();
  const templates: { segments: readonly string[]; route: Route }[] = [];
  for (const [path, group] of byPath) {
    const methods = new Map(group.map((operation) => [operation.method, operation]));
    const allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
    const route = { operations: methods, allow };
    const segments = path.split('/');
    if (path.includes('{')) templates.push({ segments, route });
    else fixed.set(path, { route, parameters: NONE });
  }
  const matchTemplate = (path: string): Match | undefined => {
    const segments = path.split('/');
    for (const { segments: wanted, route } of templates) {
      if (wanted.length !== segments.length) continue;
      const parameters: Record<string, string | undefined> = {};
      const matches = wanted.every((want, i) => {
        const segment = segments[i] as string;
        if (!want.startsWith('{')) return want === segment;
        parameters[want.slice(1, -1)] = decode(segment);
        // A path parameter is never empty (OpenAPI 3.1, 4.8.12.2: the template's segment has to be there).
        return segment !== '';
      });
      if (matches) return { route, parameters };
    }
    return undefined;
  };
  return (path) => fixed.get(path) ?? matchTemplate(path);
}

/** Percent-decoding that refuses what is not UTF-8. */
export function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
