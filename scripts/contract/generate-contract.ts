/**
 * Makes one TypeScript file from a description (OpenAPI 3.1): its schemas as values, its operations as a table, and
 * their types. It refuses every part of a description that it would otherwise ignore, and names its place.
 */
import { Place } from './place.ts';
import { requireOwn, SchemaCode } from './schema-code.ts';

/** The members that each object may have: those that are implemented, and those that change nothing. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const DOCUMENT = 'openapi info servers security tags paths components externalDocs';
const SERVER = 'url description variables';
const VARIABLE = 'default description';
const PATH_ITEM = `summary description parameters ${METHODS.join(' ')}`;
const OPERATION =
  'operationId tags summary description externalDocs deprecated parameters requestBody responses security';
const PARAMETER = 'name in description required deprecated schema example examples style explode';
const REQUEST_BODY = 'description required content';
const MEDIA_TYPE = 'schema example examples';
const JSON_TYPE = 'application/json';
const RESPONSE = 'description headers content links';

/** Header fields of responses that pages of other origins may read anyway (Fetch, CORS-safelisted response-header). */
const SAFE_FIELDS = /^(?:cache-control|content-(?:language|length|type)|expires|last-modified|pragma)$/i;

/** The statuses that the pipeline itself sends: for every operation, and for operations that need a credential. */
const ALWAYS = ['400', '500', '503'];
const FOR_CREDENTIALS = ['401', '403', '429'];

/** A segment is either a name without percent-encoding, or a whole parameter. */
const PATH = /^(?:\/(?:\{[^{}]+\}|[\w.~!$&'()*+,;=:@-]*))+$/;
const SEGMENT = /\{[^{}]+\}/g;
/** Header fields that OpenAPI describes in other ways. It ignores such parameters (4.8.12.2.1). */
const NOT_PARAMETERS = /^(?:accept|content-type|authorization)$/i;

export interface Source {
  /** The file of the description, for messages and for the generated file. */
  readonly file: string;
  /** The description, with integers as bigint. */
  readonly document: unknown;
  /** The folder of schema.ts and operation.ts, relative to the generated file. */
  readonly imports: string;
}

/** Returns the unformatted text of the generated file. Throws an Error whose message is one line. */
export function generateContract({ file, document, imports }: Source): string {
  const place = new Place(file, document, document, '#').only(DOCUMENT);
  if (!/^3\.1\.\d+$/.test(String(place.members['openapi']))) place.get('openapi').refuse('the version must be 3.1');
  requireServer(place.get('servers'));
  const schemas = new SchemaCode();
  const operations = operationsOf(place, schemas);
  const scopes = [...new Set(operations.flatMap((operation) => operation.scopes ?? []))].sort();
  const fields = [...new Set(operations.flatMap((operation) => operation.fields))]
    .filter((name) => !SAFE_FIELDS.test(name))
    .sort();
  const components = [...schemas.named].map(
    ([name, code]) => `export const ${name} = ${code};\nexport type ${name} = TypeOf<typeof ${name}>;`,
  );
  const table = operations.map(({ id, code }) => `${id}: ${code},`);
  const body = `/** Every scope that an operation needs. */
export const scopes: readonly string[] = ${JSON.stringify(scopes)};

/** The header fields of responses that pages of other origins need permission to read. */
export const exposedFields: readonly string[] = ${JSON.stringify(fields)};

${components.join('\n\n')}

export const operations = {
${table.join('\n')}
} as const satisfies Operations;
`;
  const used = ['array', 'int64', 'integer', 'nullable', 'object', 'oneOf', 'optional', 'text', 'variants'].filter(
    (name) => body.includes(`${name}(`),
  );
  // Only named schemas have a type, and a description can do without them.
  const names = components.length === 0 ? used : [...used, 'type TypeOf'];
  return `// Generated from ${file} by npm run generate. Do not edit.
import type { Operations } from '${imports}/operation.ts';
import { ${names.join(', ')} } from '${imports}/schema.ts';

${body}`;
}

/** Checks that there is one server. The service replaces its address when it serves the description. */
function requireServer(servers: Place): void {
  const list = servers.list();
  if (list.length !== 1) servers.refuse('there must be one server');
  const server = servers.get('0').follow();
  if (server.only(SERVER).members['url'] !== '{base_url}') {
    server.refuse('the url must be {base_url}, which --base-url sets');
  }
  server.get('variables').only('base_url').get('base_url').only(VARIABLE);
}

interface OperationCode {
  readonly id: string;
  readonly scopes: readonly string[] | undefined;
  /** The names of the header fields of its responses. */
  readonly fields: readonly string[];
  readonly code: string;
}

function operationsOf(document: Place, schemas: SchemaCode): OperationCode[] {
  const found: OperationCode[] = [];
  const templates = new Set<string>();
  for (const [path, item] of document.get('paths').entries()) {
    if (!PATH.test(path)) item.refuse('a path must have plain names, or whole parameters, between slashes');
    const template = path.replaceAll(SEGMENT, '{}');
    if (templates.has(template)) item.refuse('another path takes the same requests');
    templates.add(template);
    for (const method of METHODS) {
      if (!item.only(PATH_ITEM).has(method)) continue;
      const operation = operationOf(document, path, item, method, schemas);
      if (found.some(({ id }) => id === operation.id)) {
        item.get(method).get('operationId').refuse('another operation has this operationId');
      }
      found.push(operation);
    }
  }
  return found;
}

function operationOf(document: Place, path: string, item: Place, method: string, schemas: SchemaCode): OperationCode {
  const operation = item.get(method).only(OPERATION);
  const { operationId: id } = operation.members;
  if (typeof id !== 'string' || !/^[a-z]\w*$/i.test(id)) {
    return operation.refuse('an operation must have an operationId of letters and digits');
  }
  requireOwn(operation.get('operationId'), id);
  const scopes = scopesOf(document, operation);
  const parameters = parametersOf(path, item, operation).map((parameter) => parameterCode(parameter, schemas));
  const body = operation.has('requestBody') ? bodyCode(operation.get('requestBody').follow(), schemas) : 'undefined';
  const isOptional = operation.has('requestBody') && !isRequired(operation.get('requestBody').follow());
  const responses = operation.get('responses');
  const statuses = responses.entries().map(([status, response]) => {
    return `${status}: ${responseCode(status, response.follow(), schemas)}`;
  });
  const own = scopes === undefined ? ALWAYS : [...ALWAYS, ...FOR_CREDENTIALS];
  const otherTypes = responses.entries().flatMap(([status, response]) => otherTypesOf(status, response.follow()));
  const others = otherTypes.length === 0 ? '' : `\n    otherTypes: { ${otherTypes.join(', ')} },`;
  const fields = responses.entries().flatMap(([, response]) => headersOf(response.follow()));
  const absent = own.find((status) => !responses.has(status));
  if (absent !== undefined) responses.refuse(`there must be ${absent}, which the service itself sends`);
  const code = `{
    id: '${id}',
    method: '${method.toUpperCase()}',
    path: ${JSON.stringify(path)},
    scopes: ${JSON.stringify(scopes)},
    parameters: [${parameters.join(', ')}],
    body: ${body},${isOptional ? '\n    isBodyOptional: true,' : ''}
    responses: { ${statuses.join(', ')} },${others}
  }`;
  return { id, scopes, fields, code };
}

/** An operation's own requirement overrides the global one (OpenAPI 3.1, 4.8.30). Undefined: it needs no credential. */
function scopesOf(document: Place, operation: Place): readonly string[] | undefined {
  const { security = document.members['security'] ?? [] } = operation.members;
  if (Array.isArray(security) && security.length === 0) return undefined;
  const requirements = [security].flat().flatMap((one) => (one == null ? [] : Object.entries(one)));
  const [[scheme, scopes] = ['', undefined]] = requirements;
  const schemes = document.get('components').get('securitySchemes');
  const declared = schemes.value === undefined ? undefined : schemes.get(scheme).follow().value;
  const { type, scheme: kind } = (declared ?? {}) as Readonly<Record<string, unknown>>;
  const isOne = requirements.length === 1 && [security].flat().length === 1 && Array.isArray(scopes);
  if (!isOne || type !== 'http' || kind !== 'bearer') {
    operation.refuse('the credential must be of one http scheme, bearer, with a list of scopes');
  }
  return scopes as readonly string[];
}

/** A parameter of the operation overrides one of the path with the same name and place (OpenAPI 3.1, 4.8.10). */
function parametersOf(path: string, item: Place, operation: Place): Place[] {
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

function parameterCode(parameter: Place, schemas: SchemaCode): string {
  const { name, in: place, required = false } = parameter.members;
  const schema = parameter.get('schema');
  const { type } = schema.follow().members;
  if (type !== 'string' && type !== 'integer') {
    schema.follow().refuse('the type of a parameter must be string or integer');
  }
  const { code, fallback } = schemas.ofParameter(schema, String(name));
  const members = [`name: ${JSON.stringify(name)}`, `in: '${place}'`, `required: ${required}`, `schema: ${code}`];
  return `{ ${[...members, ...(fallback === undefined ? [] : [`fallback: ${fallback}`])].join(', ')} }`;
}

function bodyCode(body: Place, schemas: SchemaCode): string {
  const schema = schemaOf(body.only(REQUEST_BODY)).follow();
  if (!isRequired(body) && (schema.members['type'] !== 'object' || schema.get('required').list().length > 0)) {
    body.refuse('a body that may be absent must be an object without required members');
  }
  return schemas.of(schemaOf(body), 'request');
}

function isRequired(body: Place): boolean {
  return body.members['required'] === true;
}

function headersOf(response: Place): readonly string[] {
  return response.has('headers') ? Object.keys(response.get('headers').members) : [];
}

function responseCode(status: string, response: Place, schemas: SchemaCode): string {
  if (!/^[2-5]\d\d$/.test(status)) response.refuse('a status must be one of 200 to 599');
  const isProblem = /^[45]/.test(status);
  if (!response.only(RESPONSE).has('content') && !isProblem) return 'undefined';
  if (status === '204' || status === '304') response.get('content').refuse(`a ${status} has no content`);
  const content = response.get('content');
  if (!isProblem && !content.has(JSON_TYPE) && Object.keys(content.members).length > 0) return 'undefined';
  const schema = isProblem ? schemaOf(response) : schemaIn(content);
  const code = schemas.of(schema, 'response');
  if (isProblem && !isError(schema.follow())) {
    schema.follow().refuse('an error must have the integer error and the text message');
  }
  return code;
}

/** The other media types of a success. The handler writes such a body itself, so the generator ignores its schema. */
function otherTypesOf(status: string, response: Place): readonly string[] {
  if (!response.has('content')) return [];
  const types = Object.keys(response.get('content').members).filter((type) => type !== JSON_TYPE);
  return types.length === 0 ? [] : [`${status}: ${JSON.stringify(types)}`];
}

/** Whether a schema has the shape of a Problem. */
function isError(schema: Place): boolean {
  const { error, message, ...others } = Object.fromEntries(schema.get('properties').entries());
  return (
    error?.follow().members['type'] === 'integer' &&
    message?.follow().members['type'] === 'string' &&
    !schema
      .get('required')
      .list()
      .some(({ value }) => String(value) in others)
  );
}

/** The schema of a request or an error, which must have only one media type. */
function schemaOf(message: Place): Place {
  const content = message.get('content');
  if (!message.has('content') || Object.keys(content.members).join() !== JSON_TYPE) {
    content.refuse('application/json must be the only media type');
  }
  return schemaIn(content);
}

function schemaIn(content: Place): Place {
  if (!content.has(JSON_TYPE)) content.refuse('application/json must be among the media types');
  return content.get(JSON_TYPE).only(MEDIA_TYPE).get('schema');
}
