/** Reads a description of any version. Every node may be absent or a reference. */

export type Json = unknown;

export interface Node {
  readonly [key: string]: Json;
}

/** Reports a breaking change. */
export type Report = (where: string, what: string) => void;

export class Description {
  readonly root: Node;

  constructor(root: Json) {
    this.root = node(root);
  }

  /** Follows a local reference. Members beside the reference count too (JSON Schema 2020-12, 8.2.3.1). */
  read(value: Json): Node {
    const { $ref, ...beside } = node(value);
    if (typeof $ref !== 'string') return beside;
    const tokens = $ref.slice(2).split('/').map(decodeURIComponent);
    const target = tokens.reduce<Json>(
      (at, token) => node(at)[token.replaceAll('~1', '/').replaceAll('~0', '~')],
      this.root,
    );
    return { ...this.read(target), ...beside };
  }
}

export function node(value: Json): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

export function list(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
