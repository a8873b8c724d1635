/** Owns what an import accepts: exactly what createPlant accepts as its body, by the description's own schema. */
import { type Json, parseDescription, readDescription } from '../contract/document.ts';
import { type ParsedJson, parseJson } from '../contract/json.ts';
import { compileOperations } from '../contract/operation.ts';
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
  const operations = compileOperations(parseDescription(readDescription()));
  const read = operations.find(({ id }) => id === 'createPlant')?.body;
  if (read === undefined) throw new Error('createPlant of the description has no body');
  const judge = (json: ParsedJson): Read => {
    const reading = read(json);
    return 'faults' in reading ? { refused: reading.faults.join('; ') } : (reading.value as StoredPlant);
  };
  return {
    json(bytes) {
      const json = parseJson(bytes);
      return 'fault' in json ? { refused: `it is not JSON in UTF-8: ${json.fault}` } : judge(json);
    },
    fields(id, name, tag) {
      const members = {
        ...(id === undefined ? {} : { id: NUMBER.test(id) ? Number(id) : id }),
        ...(name === undefined ? {} : { name }),
        ...(tag === undefined ? {} : { tag }),
      } satisfies Json;
      return judge({ value: members, mayRound: true, text: () => ({ ...members, id: id ?? '' }) });
    },
  };
}

/** A number of JSON (RFC 8259, 6), so that an id's text means the same in every format. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
