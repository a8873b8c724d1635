/** The texts in bodies, for the defects that vary by field. */
import { CALLS } from './calls.ts';
import { ALOE, create, curl, replace } from './defect.ts';

/** A text in a body. */
export type Field = readonly [operation: 'createPlant' | 'replacePlant', member: 'name' | 'tag'];

export const FIELDS: readonly Field[] = [
  ['createPlant', 'name'],
  ['createPlant', 'tag'],
  ['replacePlant', 'name'],
  ['replacePlant', 'tag'],
];
export const titleOf = ([operation, member]: Field) => `${CALLS[operation].title} with a ${member}`;
export const schemaOf = ([, member]: Field) => `#/components/schemas/Plant${member === 'name' ? 'Name' : 'Tag'}`;

/** A line that sends the value, as JSON, in a field, and the status of the clean service. */
export function showField([operation, member]: Field, value: string, status: number) {
  const members = `${member === 'tag' ? '"name": "Aloe vera", ' : ''}"${member}": ${value}}`;
  return operation === 'createPlant'
    ? { operation, show: curl(create(`{"id": 12, ${members}`)), clean: String(status) }
    : { operation, show: curl(create(ALOE), replace(12, `{${members}`)), clean: `200, then ${status}` };
}
