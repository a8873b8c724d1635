/** Makes the addresses of operations from the paths of the description. */
import type { Input, Operations } from './operation.ts';

export interface Links<Table extends Operations> {
  /** The address of an operation. Parameters that its path does not contain go into the query, in the given order. */
  to<Id extends keyof Table>(id: Id, parameters: Some<Input<Table[Id]>['parameters']>): string;
}

type Some<Parameters> = { readonly [Name in keyof Parameters]?: Parameters[Name] | undefined };

/** `base`: the beginning of all addresses. Empty: addresses are relative to the host. */
export function createLinks<Table extends Operations>(operations: Table, base: string): Links<Table> {
  return {
    to(id, parameters) {
      const { path } = operations[id] as Operations[string];
      const query = new URLSearchParams();
      let filled = path;
      for (const [name, value] of Object.entries(parameters)) {
        if (value === undefined) continue;
        const place = `{${name}}`;
        if (path.includes(place)) filled = filled.replace(place, () => encodeURIComponent(String(value)));
        else query.set(name, String(value));
      }
      return `${base}${filled}${query.size === 0 ? '' : `?${query}`}`;
    },
  };
}
