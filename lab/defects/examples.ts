/** The examples of defects: shell commands with curl, and what the clean service responds to them. */
import { operations } from '../../src/contract/openapi.generated.ts';
import type { OperationId } from './defect.ts';

export type Variable = 'TOKEN' | 'READ_TOKEN' | 'EXPIRED_TOKEN' | 'REVOKED_TOKEN' | 'OTHER_TOKEN';

/** A plant for the examples. */
export const ALOE = '{"id": 12, "name": "Aloe vera", "tag": "succulent"}';

/** A curl line that sends the requests on one connection. */
export const curl = (...requests: readonly string[]): string => `curl -s ${requests.join(' --next -s ')}`;
/** One request of a curl line. `more` has further options of curl. */
export const request = (target: string, more = '', token: Variable | null = 'TOKEN'): string => {
  const credential = token === null ? '' : ` -H "Authorization: Bearer $PLANTSTORE_${token}"`;
  return `-i "$PLANTSTORE_URL${target}"${credential}${more === '' ? '' : ` ${more}`}`;
};
/** The Link of a page. */
export const linkOf = (target: string) => `$(${curl(request(target))} | sed -n 's/^Link: <\\(.*\\)>.*/\\1/p')`;
/** The options of curl for a body. Not --json, which curl before 7.82 does not know. */
export const bodyOf = (json: string): string => `-H 'Content-Type: application/json' -d '${json}'`;
export const create = (json: string, token?: Variable | null): string => request('/plants', bodyOf(json), token);
export const replace = (id: number, json: string, more = ''): string =>
  request(`/plants/${id}`, `-X PUT ${bodyOf(json)}${more}`);

/** The requests that show a defect, and what the clean service responds. */
export const example = (clean: string, ...requests: readonly string[]) => ({ show: curl(...requests), clean });

interface Call {
  readonly title: string;
  /** Where the description has the operation, as a JSON pointer. */
  readonly at: string;
  /** The status of a successful call. */
  readonly status: number;
  /** The request of a successful call, with any token. */
  send(token?: Variable | null): string;
}

const call = (id: OperationId, send: Call['send']): Call => {
  const { method, path, responses } = operations[id];
  const [status] = Object.keys(responses);
  const at = `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`;
  return { title: `${method} ${path}`, at, status: Number(status), send };
};

/** A successful call of each operation, for the defects that vary by operation. */
export const CALLS: Readonly<Record<OperationId, Call>> = {
  createPlant: call('createPlant', (token) => create(ALOE, token)),
  getPlant: call('getPlant', (token) => request('/plants/12', '', token)),
  listPlants: call('listPlants', (token) => request('/plants', '', token)),
  replacePlant: call('replacePlant', (token) => request('/plants/12', `-X PUT ${bodyOf('{"name": "Agave"}')}`, token)),
  deletePlant: call('deletePlant', (token) => request('/plants/12', '-X DELETE', token)),
};

/** An example with a successful call. `more`: what else the clean service responds. `edit` may change the plant. */
export function callOf(operation: OperationId, more = '', edit = (line: string) => line) {
  const { send, status } = CALLS[operation];
  const clean = more === '' ? String(status) : `${status} ${more}`;
  const { show, ...rest } =
    operation === 'createPlant' ? example(clean, send()) : example(`200, then ${clean}`, create(ALOE), send());
  return { operation, show: edit(show), ...rest };
}

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

/** An example that sends the value, as JSON, in a field. `status`: that of the clean service. */
export function fieldOf([operation, member]: Field, value: string, status: number) {
  const members = `${member === 'tag' ? '"name": "Aloe vera", ' : ''}"${member}": ${value}}`;
  return operation === 'createPlant'
    ? { operation, ...example(String(status), create(`{"id": 12, ${members}`)) }
    : { operation, ...example(`200, then ${status}`, create(ALOE), replace(12, `{${members}`)) };
}
