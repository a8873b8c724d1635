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

/** JSON allows other numbers too. But a spreadsheet rounds a long id, and writes it as 1.23457E+17. */
const DIGITS = /^-?(?:0|[1-9]\d*)$/;

/** Reads one plant from the texts of its members. */
export function plantOfFields(id: string | undefined, name: string | undefined, tag: string | undefined): ParsedPlant {
  const isDigits = id !== undefined && DIGITS.test(id);
  const members = {
    ...(id === undefined ? {} : { id: isDigits ? Number(id) : id }),
    ...(name === undefined ? {} : { name }),
    ...(tag === undefined ? {} : { tag }),
  };
  // The field's text is passed too, so that an id beyond 2^53 stays exact.
  const parsed = read(members, { ...members, id: id ?? '' });
  if ('plant' in parsed || id === undefined || isDigits) return parsed;
  return { reason: `${parsed.reason}; in CSV an id is digits only: a spreadsheet may have changed this one` };
}

function read(value: Json, written: Json | undefined): ParsedPlant {
  const errors: string[] = [];
  const plant = NewPlant.read(value, written, '', errors);
  return plant === undefined || errors.length > 0 ? { reason: errors.join('; ') } : { plant };
}
