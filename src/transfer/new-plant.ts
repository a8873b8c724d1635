/** The plants that an import accepts: exactly what createPlant accepts as its body, refused in the same words. */
import { type Json, parseJson } from '../contract/json.ts';
import { NewPlant } from '../contract/openapi.generated.ts';
import type { StoredPlant } from '../plants/plant.ts';

/** A plant, or why it is refused, in the words that createPlant would answer. */
export type Read = StoredPlant | { readonly refused: string };

export interface NewPlantReader {
  /** One plant as JSON text in UTF-8. */
  json(bytes: Buffer): Read;
  /** One plant as the texts of its members. */
  fields(id: string | undefined, name: string | undefined, tag: string | undefined): Read;
}

export function createNewPlantReader(): NewPlantReader {
  return {
    json(bytes) {
      const json = parseJson(bytes);
      return 'error' in json ? { refused: `it is not JSON in UTF-8: ${json.error}` } : read(json.value, json.written);
    },
    fields(id, name, tag) {
      const members = {
        ...(id === undefined ? {} : { id: NUMBER.test(id) ? Number(id) : id }),
        ...(name === undefined ? {} : { name }),
        ...(tag === undefined ? {} : { tag }),
      };
      // The field's text is how the number is written: an id beyond 2^53 is exact here too.
      return read(members, { ...members, id: id ?? '' });
    },
  };
}

function read(value: Json, written: Json | undefined): Read {
  const errors: string[] = [];
  const plant = NewPlant.read(value, written, '', errors);
  return plant === undefined || errors.length > 0 ? { refused: errors.join('; ') } : plant;
}

/** A number of JSON (RFC 8259, 6), so that an id's text means the same in every format. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
