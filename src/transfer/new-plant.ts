/** Reads the plants of an import. It accepts what createPlant accepts, and refuses the rest with the same messages. */
import { type Json, parseJson } from '../contract/json.ts';
import { NewPlant } from '../contract/openapi.generated.ts';
import type { StoredPlant } from '../plants/plant.ts';

export type ParsedPlant = { readonly plant: StoredPlant } | { readonly reason: string };

/** A plant and its line in the input. In CSV this is the first line of the record. Lines count from 1. */
export interface Accepted {
  readonly line: number;
  readonly plant: StoredPlant;
}

export interface Refused {
  readonly line: number;
  readonly reason: string;
}

export type Entry = Accepted | Refused;

/** Reads one plant from JSON text in UTF-8. */
export function plantOfJson(bytes: Buffer): ParsedPlant {
  const json = parseJson(bytes);
  if (!('error' in json)) return read(json.value, json.written);
  // The text is one line.
  const place = json.place === undefined ? '' : ` at column ${json.place.column}`;
  return { reason: `it is not JSON in UTF-8: ${json.error}${place}` };
}

/** Whether a text is an integer as it is written in a path or in CSV. JSON allows other numbers too, such as 1.2e1. */
export const isDigits = (id: string): boolean => /^-?(?:0|[1-9]\d*)$/.test(id);

/** Reads one plant from the texts of its members. */
export function plantOfFields(id: string | undefined, name: string | undefined, tag: string | undefined): ParsedPlant {
  const members = {
    ...(id === undefined ? {} : { id: isDigits(id) ? Number(id) : id }),
    ...(name === undefined ? {} : { name }),
    ...(tag === undefined ? {} : { tag }),
  };
  // The field's text is passed too, so that an id beyond 2^53 stays exact.
  return read(members, { ...members, id: id ?? '' });
}

function read(value: Json, written: Json | undefined): ParsedPlant {
  const errors: string[] = [];
  const plant = NewPlant.read(value, written, '', errors);
  return plant === undefined || errors.length > 0 ? { reason: errors.join('; ') } : { plant };
}
