/** Reads a description of any version: any node may be absent, and a reference may stand anywhere. */

export type Json = unknown;

export interface Node {
  readonly [key: string]: Json;
}

/** Takes a breaking change: where, and what. */
export type Report = (where: string, what: string) => void;

export class Description {
  readonly root: Node;

  constructor(root: Json) {
    this.root = node(root);
  }

  /** A node with its local reference followed; what stands beside the reference counts too (JSON Schema 2020-12, 8.2.3.1). */
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
