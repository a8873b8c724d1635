/**
 * Finds the changes of a description that break clients of an earlier one. Additions are allowed. A request must accept
 * everything that it accepted. A response must keep what was promised, and must not get further values. The service
 * sends the request of a webhook and reads the response, so each of them follows the rule of the other.
 */
import { type Direction, SchemaComparison } from './compare-schemas.ts';
import { Description, type Json, list, type Node, node, type Report } from './description.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Returns every breaking change from one description to the next as a line that begins with its place. */
export function breakingChanges(before: Json, after: Json): string[] {
  const found: string[] = [];
  compareDescriptions(new Description(before), new Description(after), (where, what) =>
    found.push(`${where}: ${what}`),
  );
  return found;
}

/** The maps of path items, and how each kind of them is named. `sent`: which rule the request follows. */
const MAPS = [
  { member: 'paths', kind: 'path', sent: 'request', returned: 'response' },
  { member: 'webhooks', kind: 'webhook', sent: 'response', returned: 'request' },
] as const;

function compareDescriptions(before: Description, after: Description, report: Report): void {
  for (const { member, kind, ...directions } of MAPS) {
    for (const [name, item] of Object.entries(node(before.root[member]))) {
      const newItem = node(after.root[member])[name];
      if (newItem === undefined) {
        report(name, `the ${kind} is gone`);
        continue;
      }
      for (const method of METHODS) {
        const old = node(item)[method];
        if (old === undefined) continue;
        const where = `${method.toUpperCase()} ${name}`;
        const next = node(newItem)[method];
        if (next === undefined) report(where, 'the operation is gone');
        else {
          const operations = [new Operation(before, item, old), new Operation(after, newItem, next)] as const;
          compareOperations(...operations, directions, where, report);
        }
      }
    }
  }
}

class Operation {
  readonly document: Description;
  readonly object: Node;
  readonly parameters: ReadonlyMap<string, Node>;

  constructor(document: Description, item: Json, operation: Json) {
    this.document = document;
    this.object = node(operation);
    const all = [...list(node(item)['parameters']), ...list(this.object['parameters'])].map((one) =>
      document.read(one),
    );
    this.parameters = new Map(all.map((one) => [`${one['in']} parameter ${one['name']}`, one]));
  }

  get security(): Json {
    return this.object['security'] ?? this.document.root['security'] ?? [];
  }
}

/** The rules for what a request contains and for what a response contains. */
interface Directions {
  readonly sent: Direction;
  readonly returned: Direction;
}

function compareOperations(
  before: Operation,
  after: Operation,
  { sent, returned }: Directions,
  where: string,
  report: Report,
): void {
  if (before.object['operationId'] !== after.object['operationId']) report(where, 'the operationId changed');
  compareSecurity(before.security, after.security, where, report);
  const schemas = new SchemaComparison(before.document, after.document, report);
  for (const [name, old] of before.parameters) {
    const next = after.parameters.get(name);
    if (next === undefined) report(where, `the ${name} is gone`);
    else schemas.compare(old['schema'], next['schema'], sent, `${where}, ${name}`);
  }
  for (const [name, next] of after.parameters) {
    compareRequired(before.parameters.get(name) ?? {}, next, sent, where, `the ${name}`, report);
  }
  compareBodies(before, after, sent, schemas, where, report);
  compareResponses(before, after, returned, schemas, where, report);
}

/** A request must not require more, and a response must not promise less. */
function compareRequired(
  before: Node,
  after: Node,
  direction: Direction,
  where: string,
  what: string,
  report: Report,
): void {
  const [was, is] = [before, after].map(({ required }) => required === true);
  if (direction === 'request' && is && !was) report(where, `${what} became required`);
  if (direction === 'response' && was && !is) report(where, `${what} became optional`);
}

/** Each alternative of credentials must stay, without further scopes. */
function compareSecurity(before: Json, after: Json, where: string, report: Report): void {
  const covers = (next: Json, old: Json) =>
    Object.entries(node(next)).every(([scheme, scopes]) => {
      const had = node(old)[scheme];
      return had !== undefined && list(scopes).every((scope) => list(had).includes(scope));
    });
  if (list(after).length === 0) return;
  const ways = list(before).length === 0 ? [{}] : list(before);
  if (!ways.every((old) => list(after).some((next) => covers(next, old))))
    report(where, 'it asks for more credentials');
}

function compareBodies(
  before: Operation,
  after: Operation,
  direction: Direction,
  schemas: SchemaComparison,
  where: string,
  report: Report,
): void {
  const old = before.document.read(before.object['requestBody'] ?? {});
  const next = after.document.read(after.object['requestBody'] ?? {});
  compareRequired(old, next, direction, where, 'the body', report);
  for (const [type, media] of Object.entries(node(old['content'] ?? {}))) {
    const same = node(next['content'] ?? {})[type];
    if (same === undefined) report(where, `a body of ${type} is gone`);
    else schemas.compare(node(media)['schema'], node(same)['schema'], direction, `${where}, body`);
  }
}

function compareResponses(
  before: Operation,
  after: Operation,
  direction: Direction,
  schemas: SchemaComparison,
  where: string,
  report: Report,
): void {
  const old = node(before.object['responses']);
  const next = node(after.object['responses']);
  for (const status of Object.keys(next)) {
    // A client handles a new failure like every failure. But it does not know the shape of a new success.
    const isUnknown = direction === 'response' && /^[123]/.test(status) && old[status] === undefined;
    if (isUnknown) report(where, `the status ${status} is new`);
  }
  for (const [status, response] of Object.entries(old)) {
    if (next[status] === undefined) {
      report(where, `the status ${status} is gone`);
      continue;
    }
    const was = before.document.read(response);
    const is = after.document.read(next[status]);
    const at = `${where}, ${status}`;
    const had = headersOf(before.document, was);
    const has = headersOf(after.document, is);
    for (const [name, then] of had) {
      const now = has.get(name);
      if (now === undefined) report(at, `the header ${name} is gone`);
      else schemas.compare(then['schema'], now['schema'], direction, `${at}, header ${name}`);
    }
    for (const [name, now] of has)
      compareRequired(had.get(name) ?? {}, now, direction, at, `the header ${name}`, report);
    for (const [type, media] of Object.entries(node(was['content'] ?? {}))) {
      const same = node(is['content'] ?? {})[type];
      if (same === undefined) report(at, `${type} is gone`);
      else schemas.compare(node(media)['schema'], node(same)['schema'], direction, `${at}, body`);
    }
  }
}

function headersOf(document: Description, response: Node): ReadonlyMap<string, Node> {
  return new Map(Object.entries(node(response['headers'])).map(([name, header]) => [name, document.read(header)]));
}
