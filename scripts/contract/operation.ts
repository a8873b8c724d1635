/** Finds the operation of a path or of a webhook. */
import type { Place } from './place.ts';
import { requireOwn } from './schema-code.ts';

const OPERATION =
  'operationId tags summary description externalDocs deprecated parameters requestBody responses security';

export interface OperationPlace {
  readonly method: string;
  readonly operation: Place;
  /** The operationId. */
  readonly id: string;
}

/** Reads an operation of a path item. `ids`: the operationIds of the earlier operations. This adds one more. */
export function operationAt(item: Place, method: string, ids: Set<string>): OperationPlace {
  const operation = item.get(method).only(OPERATION);
  const { operationId: id } = operation.members;
  if (typeof id !== 'string' || !/^[a-z]\w*$/i.test(id)) {
    return operation.refuse('an operation must have an operationId of letters and digits');
  }
  const place = operation.get('operationId');
  requireOwn(place, id);
  if (ids.has(id)) place.refuse('another operation has this operationId');
  ids.add(id);
  return { method, operation, id };
}
