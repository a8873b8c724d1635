/** Reads and checks the parameters of an operation or of a webhook. */
import type { Place } from './place.ts';
import { requireOwn } from './schema-code.ts';

const PARAMETER = 'name in description required deprecated schema example examples style explode';
/** A parameter in a path. */
export const SEGMENT = /\{[^{}]+\}/g;
/** Header fields that OpenAPI describes in other ways. It ignores such parameters (4.8.12.2.1). */
const NOT_PARAMETERS = /^(?:accept|content-type|authorization)$/i;

/** A parameter of the operation overrides one of the path with the same name and place (OpenAPI 3.1, 4.8.10). */
export function parametersOf(path: string, item: Place, operation: Place): Place[] {
  const found = new Map<string, Place>();
  for (const list of [item.get('parameters').list(), operation.get('parameters').list()]) {
    const keys = new Set<string>();
    for (const parameter of list) {
      const { in: place, name } = requireParameter(parameter).members;
      const key = `${place} ${name}`;
      if (keys.has(key)) parameter.refuse('the parameter is listed twice');
      keys.add(key);
      found.set(key, parameter);
    }
  }
  const list = [...found.values()].map(({ members }) => ({ in: members['in'], name: String(members['name']) }));
  const names = new Set(list.map((one) => (one.in === 'header' ? one.name.toLowerCase() : one.name)));
  if (names.size < list.length) operation.refuse('two parameters have the same name');
  const inPath = list.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
  if (inPath.sort().join() !== (path.match(SEGMENT) ?? []).sort().join()) {
    operation.refuse('the parameters in the path must be those that the path names');
  }
  return [...found.values()];
}

function requireParameter(parameter: Place): Place {
  const { in: place, name, style, required } = parameter.only(PARAMETER).members;
  if (typeof name !== 'string') return parameter.refuse('a parameter must have a name');
  requireOwn(parameter, name);
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    parameter.refuse('a parameter must be in path, query or header');
  }
  if (place === 'path' && required !== true) parameter.refuse('a parameter in the path must be required');
  if (place === 'header' && NOT_PARAMETERS.test(name)) parameter.refuse(`OpenAPI ignores a parameter ${name}`);
  if (style !== undefined && style !== (place === 'query' ? 'form' : 'simple')) {
    parameter.get('style').refuse('the style must be form in the query, or else simple');
  }
  return parameter;
}

/** Returns the schema of a parameter, with a reference not followed. */
export function parameterSchemaOf(parameter: Place): Place {
  const schema = parameter.get('schema');
  const { type } = schema.follow().members;
  if (type !== 'string' && type !== 'integer') {
    schema.follow().refuse('the type of a parameter must be string or integer');
  }
  return schema;
}
