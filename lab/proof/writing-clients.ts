/** Clients that create, replace and delete plants, and remember what was confirmed. */
import type { Client } from '../../test/harness/client.ts';
import { scatteredId } from '../../test/harness/scattered.ts';
import { contentOf, type Plants } from './history.ts';

export interface Load {
  /** The contents that each plant should have had, one after another. */
  readonly plants: Plants;
  /** Adds the plants of an operation that somebody else does. */
  add(operation: string, plants: Iterable<{ readonly id: bigint; readonly name: string }>): void;
  /** Whether an operation was confirmed with 200 or 204. */
  isConfirmed(operation: string): boolean;
  /** Creates, replaces or deletes one plant. Resolves to the status, or to 0 if there was no response. */
  writeOne(client: Client): Promise<number>;
}

/** The request id of each request is its operation. A plant whose operation was not confirmed is not used again. */
export function createLoad(random: () => number): Load {
  const plants: Record<string, [string, string | null][]> = {};
  const confirmed = new Set<string>();
  /** The plants that exist for certain and that no request concerns now. */
  const free: bigint[] = [];
  let count = 0;
  const below = (limit: number) => Math.floor(random() * limit);
  const expect = (id: bigint, operation: string, content: string | null) => {
    const states = plants[String(id)] ?? [];
    states.push([operation, content]);
    plants[String(id)] = states;
  };
  return {
    plants,
    add(operation, added) {
      for (const { id, ...plant } of added) expect(id, operation, contentOf(plant));
    },
    isConfirmed: (operation) => confirmed.has(operation),
    async writeOne(client) {
      const kind = below(10);
      const old = kind < 5 ? undefined : free.splice(below(free.length), 1)[0];
      const method = old === undefined ? 'POST' : kind < 8 ? 'PUT' : 'DELETE';
      const operation = `op-${++count}`;
      const id = old ?? scatteredId(count);
      const plant = {
        name: `${count} ${'leaf '.repeat(below(100))}`,
        ...(below(2) === 0 ? {} : { tag: `row ${below(9)}` }),
      };
      expect(id, operation, method === 'DELETE' ? null : contentOf(plant));
      const body = method === 'POST' ? { id, ...plant } : method === 'PUT' ? plant : undefined;
      const target = method === 'POST' ? '/plants' : `/plants/${id}`;
      const status = await client.send(method, target, { body, headers: { 'X-Request-Id': operation } }).then(
        (response) => response.status,
        () => 0,
      );
      if (status !== 200 && status !== 204) return status;
      confirmed.add(operation);
      if (status === 200) free.push(id);
      return status;
    },
  };
}
