/** The ways to plant a defect: another schema, another response, another step, another store. */

import type { Schema } from '../../src/contract/schema.ts';
import { Problem } from '../../src/errors.ts';
import type { AnyResult, Parameter, PlantStore, Steps } from '../../src/feature.ts';
import type { AnyInput, Finishable, Matched } from '../../src/http/exchange.ts';
import { isStream, type Response } from '../../src/http/response.ts';
import type { Plant } from './defect.ts';

type Read = Schema<unknown>['read'];

/** Reads the bodies of an operation in another way. */
export function changeBody(id: string, change: (clean: Schema<unknown>, count: () => void) => Read): Plant {
  return (count) => ({
    operation: (operation) => {
      const { body } = operation;
      return operation.id !== id || body === undefined
        ? operation
        : { ...operation, body: { ...body, read: change(body, count) } };
    },
  });
}

/**
 * Calls `read` with both schemas. Counts if only one of them accepts. If both refuse, the errors are the right ones.
 */
function compareReads<S, T>(
  [right, wrong]: readonly [S, S],
  read: (schema: S, errors: string[]) => T,
  errors: string[],
  count: () => void,
): T {
  const [rightErrors, wrongErrors]: [string[], string[]] = [[], []];
  read(right, rightErrors);
  const found = read(wrong, wrongErrors);
  if (rightErrors.length > 0 !== wrongErrors.length > 0) count();
  errors.push(...(wrongErrors.length > 0 && rightErrors.length > 0 ? rightErrors : wrongErrors));
  return found;
}

/** Reads bodies by another schema. Counts bodies that only one of the two schemas accepts. */
export const replaceBodySchema = (id: string, make: (clean: Schema<unknown>) => Pick<Schema<unknown>, 'read'>): Plant =>
  changeBody(id, (clean, count) => {
    const schemas = [clean, make(clean)] as const;
    return (value, written, at, errors) =>
      compareReads(schemas, (schema, found) => schema.read(value, written, at, found), errors, count);
  });

/** Reads a parameter by another schema. Counts values that only one of the two schemas accepts. */
export function replaceParameterSchema(id: string, name: string, schema: Parameter['schema']): Plant {
  return (count) => ({
    operation: (operation) => {
      if (operation.id !== id) return operation;
      const parameters = operation.parameters.map((parameter) => {
        if (parameter.name !== name) return parameter;
        const schemas = [parameter.schema, schema] as const;
        const readText: typeof schema.readText = (text, at, errors) =>
          compareReads(schemas, (one, found) => one.readText(text, at, found), errors, count);
        return { ...parameter, schema: { ...schema, readText } };
      });
      return { ...operation, parameters };
    },
  });
}

export function changeSteps(change: (steps: Steps, count: () => void) => Partial<Steps>): Plant {
  return (count) => ({ steps: (steps) => ({ ...steps, ...change(steps, count) }) });
}

export function changePlants(change: (plants: PlantStore, count: () => void) => Partial<PlantStore>): Plant {
  return (count) => ({ plants: (plants) => ({ ...plants, ...change(plants, count) }) });
}

/** A check that continues after a Problem. `recover` returns what replaces the Problem, or throws it again. */
export const recovering =
  <T>(check: (exchange: Matched) => T | Promise<T>, recover: (problem: Problem, exchange: Matched) => T | Promise<T>) =>
  async (exchange: Matched): Promise<T> => {
    try {
      return await check(exchange);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return recover(error, exchange);
    }
  };

/** Performs an operation in another way. */
export function changePerform(
  id: string,
  change: (
    perform: (input: AnyInput) => Promise<AnyResult>,
    input: AnyInput,
    count: () => void,
    exchange: Matched,
  ) => Promise<AnyResult>,
): Plant {
  return changeSteps((steps, count) => ({
    perform(exchange, input) {
      if (exchange.operation.id !== id) return steps.perform(exchange, input);
      return change(async (own) => steps.perform(exchange, own), input, count, exchange);
    },
  }));
}

type Parameters = AnyInput['parameters'];
export const withParameters = (input: AnyInput, more: Parameters): AnyInput => ({
  ...input,
  parameters: { ...input.parameters, ...more },
});

/** Performs a request that a Problem refuses again, with other parameters. */
export const performAgain = (
  id: string,
  code: Problem['code'],
  change: (parameters: Parameters, exchange: Matched) => Parameters,
): Plant =>
  changePerform(id, async (perform, input, count, exchange) => {
    const refused = await perform(input);
    if (!(refused instanceof Problem && refused.code === code)) return refused;
    const result = await perform(withParameters(input, change(input.parameters, exchange)));
    if (!(result instanceof Problem)) count();
    return result;
  });

/** Finishes responses in another way. Counts the responses that a client sees differently. */
function changeFinish(
  change: (finish: Steps['finish'], exchange: Finishable, response: Response, count: () => void) => Response,
): Plant {
  return changeSteps(({ finish }, count) => ({
    finish(exchange, response) {
      const wrong = change(finish, exchange, response, count);
      if (seenBy(exchange, wrong) !== seenBy(exchange, finish(exchange, response))) count();
      return wrong;
    },
  }));
}

/** The part of a response that a client sees. HEAD gets no body. A stream counts its own differences. */
function seenBy({ request }: Finishable, { status, headers, body }: Response): string {
  return JSON.stringify([status, headers, request.method === 'HEAD' || isStream(body) ? '' : String(body)]);
}

/** Changes the responses of an operation, before common fields are added. Undefined leaves the response as it is. */
export const changeResponse = (
  id: string,
  status: number | 'any',
  change: (response: Response, exchange: Finishable, count: () => void) => Response | undefined,
): Plant =>
  changeFinish((finish, exchange, response, count) => {
    const isMeant = exchange.operation?.id === id && (status === 'any' || response.status === status);
    return finish(exchange, (isMeant ? change(response, exchange, count) : undefined) ?? response);
  });

/**
 * Changes a header field of the responses of an operation. `clean` is '' if it is absent. Undefined removes the field.
 */
export const changeField = (
  id: string,
  status: number | 'any',
  name: string,
  change: (clean: string) => string | undefined,
): Plant =>
  changeResponse(id, status, (response) => {
    const { [name]: clean = '', ...others } = response.headers;
    const changed = change(clean);
    return { ...response, headers: changed === undefined ? others : { ...response.headers, [name]: changed } };
  });

/** Removes header fields from finished responses. */
export const removeFields = (
  names: readonly string[],
  isMeant: (status: number, id: string | undefined) => boolean,
): Plant =>
  changeFinish((finish, exchange, response) => {
    const finished = finish(exchange, response);
    if (!isMeant(finished.status, exchange.operation?.id)) return finished;
    const kept = Object.entries(finished.headers).filter(([name]) => !names.includes(name));
    return { ...finished, headers: Object.fromEntries(kept) };
  });

/** A number as it is written, so that an int64 stays exact. */
export interface Written {
  readonly rawJSON: string;
}
type Members = Readonly<Record<string, unknown>>;

/** Parses JSON with numbers as they are written. */
export const parseWritten = (json: string) =>
  JSON.parse(json, (_, value: unknown, context?: { readonly source: string }) =>
    typeof value === 'number' && context ? JSON.rawJSON(context.source) : value,
  );

/** Changes the JSON objects in the responses of a status: the objects of an array, or the only object. */
export function changeItems(
  id: string,
  status: number,
  change: (items: readonly Members[]) => readonly Members[],
): Plant {
  return changeResponse(id, status, (response) => {
    const json = parseWritten(String(response.body));
    return { ...response, body: JSON.stringify(Array.isArray(json) ? change(json) : change([json])[0]) };
  });
}

/** Changes the members of each JSON object. */
export const changeMembers = (id: string, status: number, change: (members: Members) => Members): Plant =>
  changeItems(id, status, (items) => items.map(change));
