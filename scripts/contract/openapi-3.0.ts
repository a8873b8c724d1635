/** A description of OpenAPI 3.1 as one of 3.0.3, which says the same to tools that stop there. */

type Node = Readonly<Record<string, unknown>>;

/** What 3.1 added to these objects, by the member that holds one. */
const NEW: Readonly<Record<string, readonly string[]>> = {
  info: ['summary'],
  license: ['identifier'],
  components: ['pathItems'],
};
/** Members whose values are schemas, and those whose values hold schemas by name. */
const SCHEMA = new Set(['schema', 'items']);
const SCHEMAS = new Set(['schemas', 'properties']);

/** `document`: one that the generator takes, so that every keyword of its schemas but the examples is of 3.0 too. */
export function toOpenApi30(document: object): object {
  return { ...(object(document as Node) as object), openapi: '3.0.3' };
}

/** `within`: the member that holds the object. */
function object(value: unknown, within = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => object(item, within === 'security' ? 'requirement' : ''));
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Node;
  // What stands beside a reference is ignored by 3.0 (4.7.23).
  if ('$ref' in node) return { $ref: node['$ref'] };
  // Only OAuth and OpenID Connect have scopes in 3.0 (4.7.30); the text of the security scheme names them.
  if (within === 'requirement') return Object.fromEntries(Object.keys(node).map((scheme) => [scheme, []]));
  const members = Object.entries(node).filter(([name]) => !NEW[within]?.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, memberOf(name, member)]));
}

function memberOf(name: string, member: unknown): unknown {
  // An example is data, whatever its members are called.
  if (name === 'example' || name === 'examples') return member;
  if (SCHEMA.has(name)) return schema(member as Node);
  if (!SCHEMAS.has(name)) return object(member, name);
  return Object.fromEntries(Object.entries(member as Node).map(([key, one]) => [key, schema(one as Node)]));
}

/** JSON Schema has a list of examples, 3.0 has one; it knows neither a summary nor a comment. */
function schema({ examples, summary: _, $comment: __, ...rules }: Node): unknown {
  const [example] = Array.isArray(examples) ? examples : [];
  const same = object(rules) as object;
  return example === undefined || '$ref' in same ? same : { ...same, example };
}
