/** Converts a description from OpenAPI 3.1 to 3.0.3, for tools that cannot read 3.1. */

type Node = Readonly<Record<string, unknown>>;

/** The members that 3.1 added to an object, by the member that contains the object. */
const NEW: Readonly<Record<string, readonly string[]>> = {
  info: ['summary'],
  license: ['identifier'],
  components: ['pathItems'],
};
/** Members whose value is a schema, and members whose value contains schemas by name. */
const SCHEMA = new Set(['schema', 'items']);
const SCHEMAS = new Set(['schemas', 'properties']);

/** `document`: a description that the generator accepts, whose schemas use no further keyword that 3.0 lacks. */
export function toOpenApi30(document: object): object {
  return { ...(object(document as Node) as object), openapi: '3.0.3' };
}

/** `within`: the member that contains the object. */
function object(value: unknown, within = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => object(item, within === 'security' ? 'requirement' : ''));
  if (typeof value !== 'object' || value === null) return value;
  const node = withOneExample(value as Node);
  // OpenAPI 3.0 ignores all members beside a reference (4.7.23).
  if ('$ref' in node) return { $ref: node['$ref'] };
  // In 3.0 only OAuth and OpenID Connect have scopes (4.7.30). The text of the security scheme names our scopes.
  if (within === 'requirement') return Object.fromEntries(Object.keys(node).map((scheme) => [scheme, []]));
  const members = Object.entries(node).filter(([name]) => !NEW[within]?.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, memberOf(name, member)]));
}

/** Gives a parameter its first example as `example`, the only form that some tools for 3.0 read, such as Dredd. */
function withOneExample(node: Node): Node {
  const { examples, ...rest } = node;
  if (typeof node['in'] !== 'string' || examples === undefined) return node;
  const [first] = Object.values(examples as Readonly<Record<string, { readonly value: unknown }>>);
  return { ...rest, example: first?.value };
}

function memberOf(name: string, member: unknown): unknown {
  // An example is data, even if its members have names of OpenAPI.
  if (name === 'example' || name === 'examples') return member;
  if (SCHEMA.has(name)) return schema(member as Node);
  if (!SCHEMAS.has(name)) return object(member, name);
  return Object.fromEntries(Object.entries(member as Node).map(([key, one]) => [key, schema(one as Node)]));
}

/** JSON Schema has a list of examples. 3.0 has one example, and neither `summary` nor `$comment`. */
function schema({ examples, summary: _, $comment: __, ...rules }: Node): unknown {
  const [example] = Array.isArray(examples) ? examples : [];
  const same = object(rules) as object;
  return example === undefined || '$ref' in same ? same : { ...same, example };
}
