/** Owns reading an operation's parameters from path, query and header, and naming every one that is wrong. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../contract/operation.ts';
import { decode, type Match } from '../contract/router.ts';
import { Problem } from '../errors.ts';

export type ParameterValues = Readonly<Record<string, unknown>>;

const NONE: ParameterValues = {};

/** The values by name, defaults filled in. Parameters that the description does not name are ignored. */
export function readParameters(
  { parameters }: Operation,
  match: Match,
  query: string,
  headers: IncomingHttpHeaders,
): ParameterValues | Problem<40006> {
  if (parameters.length === 0) return NONE;
  const fields = readQuery(query);
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const parameter of parameters) {
    const { name } = parameter;
    const text = textOf(parameter.in, name, match, fields, headers);
    if (text === undefined) {
      if (parameter.required) faults.push(`${name} is missing`);
      else if (parameter.fallback !== undefined) values[name] = parameter.fallback;
    } else if (typeof text !== 'string') {
      faults.push(text.fault);
    } else {
      const read = parameter.read(text);
      if ('fault' in read) faults.push(read.fault);
      else values[name] = read.value;
    }
  }
  return faults.length === 0 ? values : new Problem(40006, `${faults.join('; ')}.`);
}

type Fields = ReadonlyMap<string, readonly (string | undefined)[]>;

function textOf(
  place: 'path' | 'query' | 'header',
  name: string,
  match: Match,
  fields: Fields,
  headers: IncomingHttpHeaders,
): string | undefined | { readonly fault: string } {
  if (place === 'header') return headers[name.toLowerCase()] as string | undefined;
  const given = place === 'path' ? [match.parameters[name]] : fields.get(name);
  if (given === undefined) return undefined;
  if (given.length > 1) return { fault: `${name} must be given once` };
  return given[0] ?? { fault: `${name} must be percent-encoded UTF-8` };
}

/** The fields of a query by name; a value that is not percent-encoded UTF-8 is undefined. A plus sign is a space. */
function readQuery(query: string): Fields {
  const fields = new Map<string, (string | undefined)[]>();
  if (query === '') return fields;
  for (const pair of query.split('&')) {
    const [name = '', ...rest] = pair.replaceAll('+', '%20').split('=');
    const key = decode(name) ?? name;
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [decode(rest.join('='))]);
    else values.push(decode(rest.join('=')));
  }
  return fields;
}
