/**
 * Makes one TypeScript file from a description (OpenAPI 3.1): its schemas as values, its operations as a table, their
 * types, and the schemas of what its webhooks send. It refuses every part of a description that it would otherwise
 * ignore, and names its place.
 */
import { isRequired, JSON_TYPE, schemaIn, schemaOf, schemaOfRequest } from './content.ts';
import { type OperationPlace, operationAt } from './operation.ts';
import { parameterSchemaOf, parametersOf, SEGMENT } from './parameters.ts';
import { Place } from './place.ts';
import { SchemaCode } from './schema-code.ts';
import { messagesCode } from './webhooks.ts';

/** The members that each object may have: those that are implemented, and those that change nothing. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const DOCUMENT = 'openapi info servers security tags paths webhooks components externalDocs';
const SERVER = 'url description variables';
const VARIABLE = 'default description';
const PATH_ITEM = `summary description parameters ${METHODS.join(' ')}`;
const RESPONSE = 'description headers content links';

/** Header fields of responses that pages of other origins may read anyway (Fetch, CORS-safelisted response-header). */
const SAFE_FIELDS = /^(?:cache-control|content-(?:language|length|type)|expires|last-modified|pragma)$/i;

/** The statuses that the pipeline itself sends: for every operation, and for operations that need a credential. */
const ALWAYS = ['400', '500', '503'];
const FOR_CREDENTIALS = ['401', '403', '429'];

/** A segment is either a name without percent-encoding, or a whole parameter. */
const PATH = /^(?:\/(?:\{[^{}]+\}|[\w.~!$&'()*+,;=:@-]*))+$/;

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
  const ids = new Set<string>();
  const operations = operationsOf(place, ids, schemas);
  const messages = place.has('webhooks') ? `\n${messagesCode(place.get('webhooks'), ids, schemas)}\n` : '';
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
${messages}`;
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

function operationsOf(document: Place, ids: Set<string>, schemas: SchemaCode): OperationCode[] {
  const found: OperationCode[] = [];
  const templates = new Set<string>();
  for (const [path, item] of document.get('paths').entries()) {
    if (!PATH.test(path)) item.refuse('a path must have plain names, or whole parameters, between slashes');
    const template = path.replaceAll(SEGMENT, '{}');
    if (templates.has(template)) item.refuse('another path takes the same requests');
    templates.add(template);
    for (const method of METHODS) {
      if (!item.only(PATH_ITEM).has(method)) continue;
      found.push(operationOf(document, path, item, operationAt(item, method, ids), schemas));
    }
  }
  return found;
}

function operationOf(
  document: Place,
  path: string,
  item: Place,
  { method, operation, id }: OperationPlace,
  schemas: SchemaCode,
): OperationCode {
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
  const absent = own.filter((status) => !responses.has(status)).sort();
  if (absent.length > 0) responses.refuse(`there must be ${absent.join(', ')}, which the service itself sends`);
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

function parameterCode(parameter: Place, schemas: SchemaCode): string {
  const { name, in: place, required = false } = parameter.members;
  const { code, fallback } = schemas.ofParameter(parameterSchemaOf(parameter), String(name));
  const members = [`name: ${JSON.stringify(name)}`, `in: '${place}'`, `required: ${required}`, `schema: ${code}`];
  return `{ ${[...members, ...(fallback === undefined ? [] : [`fallback: ${fallback}`])].join(', ')} }`;
}

function bodyCode(body: Place, schemas: SchemaCode): string {
  const schema = schemaOfRequest(body);
  const { members } = schema.follow();
  if (!isRequired(body) && (members['type'] !== 'object' || schema.follow().get('required').list().length > 0)) {
    body.refuse('a body that may be absent must be an object without required members');
  }
  return schemas.of(schema, 'request');
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
