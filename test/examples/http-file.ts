/** Reads what all clients support of an .http file: variables, ### between requests, headers, a body. */

interface HttpRequest {
  /** The text after ###. */
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Variables by name. */
type Variables = Map<string, string>;

/** Returns the variables of the file, and its requests with their placeholders. */
export function parseHttpFile(text: string): { readonly variables: Variables; readonly requests: HttpRequest[] } {
  const [head = '', ...sections] = text.split(/^###\s*/m);
  const variables = new Map(
    [...head.matchAll(/^@(\w+)\s*=\s*(.*)$/gm)].map(([, name, value]) => [name as string, value as string]),
  );
  return { variables, requests: sections.map(parseRequest) };
}

function parseRequest(section: string): HttpRequest {
  const [title = '', ...rest] = section.split('\n');
  const lines = rest.filter((line) => !line.startsWith('#'));
  const blank = lines.indexOf('', 1);
  const [method = '', url = ''] = (lines[0] ?? '').split(' ');
  const fields = lines.slice(1, blank).map((line) => line.split(/:\s*(.*)/).slice(0, 2) as [string, string]);
  const body = lines.slice(blank).join('\n').trim();
  return { title, method, url, headers: Object.fromEntries(fields), body: body === '' ? undefined : body };
}

export function fill(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{([\w.-]+)\}\}/g, (_all, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`there is no variable ${name}`);
    return value;
  });
}
