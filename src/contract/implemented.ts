/** Owns what of OpenAPI 3.1 is implemented: a description that asks for more is refused at the start, by its place. */
import { type Description, locate, METHODS, type Method, refusal, token, WORDS } from './document.ts';

/** What each object may hold, in so far as it is implemented or changes nothing. */
const DOCUMENT = 'openapi info servers security tags paths components externalDocs';
const SERVER = 'url description variables';
const VARIABLE = 'default description';
const PATH_ITEM = `summary description parameters ${METHODS.join(' ')}`;
const OPERATION =
  'operationId tags summary description externalDocs deprecated parameters requestBody responses security';
const PARAMETER = 'name in description required deprecated schema example examples style explode';
const REQUEST_BODY = 'description required content';
const MEDIA_TYPE = 'schema example examples';
const RESPONSE = 'description headers content links';

const ANY = `type $defs ${WORDS}`;
const SCALAR = `${ANY} enum const default`;
const NUMBER = `${SCALAR} format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf`;
const KEYWORDS: ReadonlyMap<unknown, string> = new Map([
  ['string', `${SCALAR} format minLength maxLength pattern`],
  ['integer', NUMBER],
  ['number', NUMBER],
  ['boolean', SCALAR],
  ['array', `${ANY} items minItems maxItems uniqueItems`],
  ['object', `${ANY} properties required additionalProperties minProperties maxProperties`],
]);
/** Keywords that Ajv judges by the double, which cannot hold every int64. */
const INEXACT = ['enum', 'const', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'];

/** What the pipeline answers of its own accord, to every operation and to one that asks for a credential. */
const ALWAYS = ['400', '500', '503'];
const FOR_CREDENTIALS = ['401', '403', '429'];

/** The members that every object inherits, such as constructor: they would be found where nobody gave them. */
const INHERITED = {};

/** Segments are either names of characters that need no percent-encoding, or a whole parameter. */
const PATH = /^(?:\/(?:\{[^{}]+\}|[\w.~!$&'()*+,;=:@-]*))+$/;
/** Header fields that OpenAPI defines elsewhere: as parameters they are ignored (4.8.12.2.1). */
const NOT_PARAMETERS = /^(?:accept|content-type|authorization)$/i;

/** Throws unless the whole of the description is implemented. Only what the operations lead to is looked at. */
export function requireImplemented(description: Description): void {
  const document = new Place(description, description, '#').only(DOCUMENT);
  if (!/^3\.1\.\d+$/.test(description.openapi)) document.get('openapi').refuse('the version must be 3.1');
  const servers = document.get('servers');
  if (servers.list().length === 0) servers.refuse('there must be a server');
  for (const server of servers.list()) {
    const { url } = server.only(SERVER).members;
    if (url !== '{base_url}') server.refuse('the url must be {base_url}, which --base-url sets');
    server.get('variables').get('base_url').only(VARIABLE);
  }
  const templates = new Set<string>();
  const ids = new Set<unknown>();
  for (const [path, item] of document.get('paths').entries()) {
    if (!PATH.test(path)) item.refuse('a path must have plain names, or whole parameters, between slashes');
    const template = path.replaceAll(/\{[^{}]+\}/g, '{}');
    if (templates.has(template)) item.refuse('another path takes the same requests');
    templates.add(template);
    for (const method of METHODS) if (item.only(PATH_ITEM).has(method)) requireOperation(path, item, method, ids);
  }
}

/** A value of the description, and the JSON pointer that a refusal names. */
class Place {
  readonly document: Description;
  readonly value: unknown;
  readonly at: string;

  constructor(document: Description, value: unknown, at: string) {
    this.document = document;
    this.value = value;
    this.at = at;
  }

  refuse(rule: string): never {
    throw refusal(this.at, rule);
  }

  get members(): { readonly [name: string]: unknown } {
    if (typeof this.value === 'object' && this.value !== null) return this.value as never;
    return this.refuse('there must be an object');
  }

  has(name: string): boolean {
    return Object.hasOwn(this.members, name);
  }

  get(name: string): Place {
    return new Place(this.document, this.members[name], `${this.at}/${token(name)}`);
  }

  /** What a reference leads to, where one may stand; elsewhere none is known. */
  follow(): Place {
    const { node, at } = locate(this.document, this.value, this.at);
    return new Place(this.document, node, at);
  }

  entries(): [name: string, Place][] {
    return Object.keys(this.members).map((name) => [name, this.get(name)]);
  }

  /** What a list holds, references followed; nothing where there is none. */
  list(): Place[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) return this.refuse('there must be a list');
    return this.entries().map(([, item]) => item.follow());
  }

  /** Refuses every other member but extensions. */
  only(names: string): this {
    const known = names.split(' ');
    const other = Object.keys(this.members).find((name) => !known.includes(name) && !name.startsWith('x-'));
    return other === undefined ? this : this.get(other).refuse(`${other} is not implemented here`);
  }
}

function requireOperation(path: string, item: Place, method: Method, ids: Set<unknown>): void {
  const operation = item.get(method).only(OPERATION);
  const { operationId } = operation.members;
  if (typeof operationId !== 'string') operation.refuse('an operation must have an operationId');
  if (ids.has(operationId)) operation.get('operationId').refuse('another operation has this operationId');
  ids.add(operationId);

  requireParameters(path, operation, item.get('parameters').list(), operation.get('parameters').list());
  if (operation.has('requestBody')) {
    const body = operation.get('requestBody').follow().only(REQUEST_BODY);
    if (body.members['required'] !== true) body.refuse('a body that may be absent is not implemented here');
    requireSchema(schemaOf(body), 'request');
  }
  const responses = operation.get('responses');
  for (const [status, response] of responses.entries()) requireResponse(status, response.follow());
  const { security = operation.document.security ?? [] } = operation.members;
  const isOpen = Array.isArray(security) && security.length === 0;
  const absent = (isOpen ? ALWAYS : [...ALWAYS, ...FOR_CREDENTIALS]).find((status) => !responses.has(status));
  if (absent !== undefined) responses.refuse(`there must be ${absent}, which the service itself answers`);
}

function requireParameters(path: string, operation: Place, shared: readonly Place[], own: readonly Place[]): void {
  const inForce = new Map<string, string>();
  for (const list of [shared, own]) {
    const keys = new Set<string>();
    for (const parameter of list) {
      const { in: place, name } = requireParameter(parameter);
      const key = `${place} ${name}`;
      if (keys.has(key)) parameter.refuse('the parameter is listed twice');
      keys.add(key);
      inForce.set(key, place === 'header' ? name.toLowerCase() : name);
    }
  }
  if (new Set(inForce.values()).size < inForce.size) operation.refuse('two parameters have the same name');
  const named = [...inForce].filter(([key]) => key.startsWith('path ')).map(([, name]) => `{${name}}`);
  if (named.sort().join() !== (path.match(/\{[^{}]+\}/g) ?? []).sort().join()) {
    operation.refuse('the parameters in the path must be those that the path names');
  }
}

function requireParameter(parameter: Place): { readonly in: string; readonly name: string } {
  const { in: place, name, style } = parameter.only(PARAMETER).members;
  if (typeof name !== 'string') return parameter.refuse('a parameter must have a name');
  if (name in INHERITED) parameter.refuse('every object has a member of this name');
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    return parameter.refuse('a parameter must be in path, query or header');
  }
  if (place === 'header' && NOT_PARAMETERS.test(name)) parameter.refuse(`OpenAPI ignores a parameter ${name}`);
  if (style !== undefined && style !== (place === 'query' ? 'form' : 'simple')) {
    parameter.get('style').refuse('the style must be form in the query, or else simple');
  }
  const schema = parameter.get('schema').follow();
  if (schema.members['type'] !== 'string' && schema.members['type'] !== 'integer') {
    schema.refuse('the type of a parameter must be string or integer');
  }
  requireSchema(schema, 'request');
  return { in: place, name };
}

function requireResponse(status: string, response: Place): void {
  if (!/^[2-5]\d\d$/.test(status)) response.refuse('a status must be one of 200 to 599');
  const isProblem = /^[45]/.test(status);
  if (!response.only(RESPONSE).has('content') && !isProblem) return;
  if (status === '204' || status === '304') response.get('content').refuse(`a ${status} has no content`);
  const schema = schemaOf(response);
  requireSchema(schema, 'response');
  if (isProblem && !isError(schema)) schema.refuse('a failure must have the integer error and the text message');
}

/** The one shape of everything that fails, whatever a handler answers. */
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

/** The schema of the one media type that bodies have. */
function schemaOf(message: Place): Place {
  const content = message.get('content');
  if (!message.has('content') || Object.keys(content.members).join() !== 'application/json') {
    content.refuse('application/json must be the only media type');
  }
  return content.get('application/json').only(MEDIA_TYPE).get('schema').follow();
}

/** `within`: the places of the schemas around it. */
function requireSchema(schema: Place, direction: 'request' | 'response', within: readonly string[] = []): void {
  if (within.includes(schema.at)) schema.refuse('a schema within itself is not implemented here');
  const [kind, ...others] = [schema.members['type']].flat().filter((type) => type !== 'null');
  const keywords = KEYWORDS.get(kind);
  if (others.length > 0 || keywords === undefined) {
    schema.refuse('there must be one type, with or without null beside it');
  }
  schema.only(keywords);
  if (direction === 'request') requireExact(schema, kind);
  const inner = [...within, schema.at];
  if (kind === 'array') {
    if (!schema.has('items')) schema.refuse('an array must have items');
    requireSchema(schema.get('items').follow(), direction, inner);
  }
  if (kind === 'object') requireMembers(schema, direction, inner);
}

/** Members that `properties` does not name are neither read nor written, so no other keyword may ask for them. */
function requireMembers(schema: Place, direction: 'request' | 'response', within: readonly string[]): void {
  if (!schema.has('properties')) schema.refuse('an object must have properties');
  const properties = schema.get('properties');
  const { additionalProperties = false } = schema.members;
  if (additionalProperties !== false) schema.get('additionalProperties').refuse('it can only be false here');
  const unnamed = schema
    .get('required')
    .list()
    .find(({ value }) => !properties.has(String(value)));
  unnamed?.refuse(`${unnamed.value} is not among the properties`);
  for (const [name, property] of properties.entries()) {
    if (name in INHERITED) property.refuse('every object has a member of this name');
    requireSchema(property.follow(), direction, within);
  }
}

/** What a request holds is judged to the letter: by rules that are, and numbers that a double can hold. */
function requireExact(schema: Place, kind: unknown): void {
  const { type, format, minimum, maximum, items, default: fallback, uniqueItems } = schema.members;
  const isNull = fallback === null && [type].flat().includes('null');
  const isKind = kind === 'integer' ? Number.isSafeInteger(fallback) : typeof fallback === kind;
  if (fallback !== undefined && !isNull && !isKind) {
    schema.get('default').refuse(`it must be of type ${kind}, and an integer within 2^53`);
  }
  if (uniqueItems === true && items !== undefined && schema.get('items').follow().members['type'] !== 'string') {
    schema.get('uniqueItems').refuse('it is implemented here for strings only');
  }
  if (format !== undefined && (kind !== 'integer' || (format !== 'int32' && format !== 'int64'))) {
    schema.get('format').refuse(`the format ${format} is not checked here for the type ${kind}`);
  }
  if (kind !== 'integer') return;
  if (type !== 'integer') schema.refuse('an integer that may be null is not implemented here');
  if (format === 'int64') {
    const inexact = INEXACT.find((keyword) => schema.has(keyword));
    if (inexact !== undefined) schema.get(inexact).refuse(`${inexact} of an int64 is not implemented here`);
  }
  // The ends of int64 as doubles, which the format itself says exactly.
  const isBound = (bound: unknown, end: number) =>
    Number.isSafeInteger(bound) ||
    (format !== undefined && bound === undefined) ||
    (format === 'int64' && bound === end);
  if (!isBound(minimum, -(2 ** 63)) || !isBound(maximum, 2 ** 63)) {
    schema.refuse('an integer must have the format int64 or int32, or minimum and maximum, and bounds within 2^53');
  }
}
