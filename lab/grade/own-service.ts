/** The requests of the grader to a service that it has started. */
import { StartupError } from '../../src/errors.ts';

/** Rejects with a StartupError if the service fails or refuses the request. */
export async function request(
  service: string,
  token: string,
  method: string,
  path: string,
  body?: string,
): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const failed = (why: string, cause?: unknown) =>
    new StartupError(`the service of the grading failed: ${method} ${path}: ${why}`, { cause });
  const response = await fetch(service + path, { method, headers, ...(body !== undefined && { body }) }).catch(
    (cause) => {
      throw failed(explain(cause), cause);
    },
  );
  if (response.ok) return response;
  throw failed(`${response.status} ${await response.text()}`);
}

/** The error of fetch only contains "fetch failed". */
function explain(error: unknown): string {
  const { cause = error } = Error.isError(error) ? error : {};
  return Error.isError(cause) ? cause.message : String(cause);
}
