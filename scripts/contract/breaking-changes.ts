/**
 * Finds the changes of a description that break clients of an earlier one. Additions are allowed. A request must accept
 * everything that it accepted. A response must keep what was promised, and must not get further values.
 */
import { SchemaComparison } from './compare-schemas.ts';
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

function compareDescriptions(before: Description, after: Description, report: Report): void {
  for (const [path, item] of Object.entries(node(before.root['paths']))) {
    const newItem = node(after.root['paths'])[path];
    if (newItem === undefined) {
      report(path, 'the path is gone');
      continue;
    }
    for (const method of METHODS) {
      const old = node(item)[method];
      if (old === undefined) continue;
      const where = `${method.toUpperCase()} ${path}`;
      const next = node(newItem)[method];
      if (next === undefined) report(where, 'the operation is gone');
      else compareOperations(new Operation(before, item, old), new Operation(after, newItem, next), where, report);
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

function compareOperations(before: Operation, after: Operation, where: string, report: Report): void {
  if (before.object['operationId'] !== after.object['operationId']) report(where, 'the operationId changed');
  compareSecurity(before.security, after.security, where, report);
  const schemas = new SchemaComparison(before.document, after.document, report);
  for (const [name, old] of before.parameters) {
    const next = after.parameters.get(name);
    if (next === undefined) report(where, `the ${name} is gone`);
    else schemas.compare(old['schema'], next['schema'], 'request', `${where}, ${name}`);
  }
  for (const [name, next] of after.parameters) {
    if (next['required'] === true && before.parameters.get(name)?.['required'] !== true) {
      report(where, `the ${name} became required`);
    }
  }
  compareBodies(before, after, schemas, where, report);
  compareResponses(before, after, schemas, where, report);
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
  schemas: SchemaComparison,
  where: string,
  report: Report,
): void {
  const old = before.document.read(before.object['requestBody'] ?? {});
  const next = after.document.read(after.object['requestBody'] ?? {});
  if (next['required'] === true && old['required'] !== true) report(where, 'the body became required');
  for (const [type, media] of Object.entries(node(old['content'] ?? {}))) {
    const same = node(next['content'] ?? {})[type];
    if (same === undefined) report(where, `a body of ${type} is no longer taken`);
    else schemas.compare(node(media)['schema'], node(same)['schema'], 'request', `${where}, body`);
  }
}

function compareResponses(
  before: Operation,
  after: Operation,
  schemas: SchemaComparison,
  where: string,
  report: Report,
): void {
  const old = node(before.object['responses']);
  const next = node(after.object['responses']);
  for (const status of Object.keys(next)) {
    // A client handles a new failure like every failure. But it does not know the shape of a new success.
    if (/^[123]/.test(status) && old[status] === undefined) report(where, `the status ${status} is new`);
  }
  for (const [status, response] of Object.entries(old)) {
    if (next[status] === undefined) {
      report(where, `the status ${status} is gone`);
      continue;
    }
    const was = before.document.read(response);
    const is = after.document.read(next[status]);
    const at = `${where}, ${status}`;
    for (const [name, header] of Object.entries(node(was['headers'] ?? {}))) {
      const [then, now] = [before.document.read(header), node(is['headers'] ?? {})[name]];
      if (now === undefined) report(at, `the header ${name} is gone`);
      else {
        const read = after.document.read(now);
        if (then['required'] === true && read['required'] !== true) report(at, `the header ${name} became optional`);
        schemas.compare(then['schema'], read['schema'], 'response', `${at}, header ${name}`);
      }
    }
    for (const [type, media] of Object.entries(node(was['content'] ?? {}))) {
      const same = node(is['content'] ?? {})[type];
      if (same === undefined) report(at, `${type} is gone`);
      else schemas.compare(node(media)['schema'], node(same)['schema'], 'response', `${at}, body`);
    }
  }
}
