/** The type of a planted defect, and the ways to plant one: another schema, another response, another store. */
import type { Credential } from '../auth/credential.ts';
import { parseJson } from '../contract/json.ts';
import type { Operation, Parameter } from '../contract/operation.ts';
import type { Schema } from '../contract/schema.ts';
import type { operations } from '../description/openapi.generated.ts';
import { Problem } from '../errors.ts';
import type { Feature, FeatureContext } from '../feature.ts';
import type { Exchange, Finishable } from '../http/exchange.ts';
import type { Steps } from '../http/pipeline.ts';
import type { Response } from '../http/response.ts';
import type { PlantStore } from '../plants/plant-store.ts';

export type OperationId = keyof typeof operations;

/** A tier groups defects by what a tester has to do to find them. */
export type Tier = 'schema' | 'input' | 'credentials' | 'state' | 'protocol';

/** `Operation`: the operationIds of its API, and `any`. */
export interface Defect<Operation extends string = OperationId | 'any'> {
  readonly name: string;
  readonly tier: Tier;
  /** The wrong behaviour, in one sentence. */
  readonly does: string;
  /** The operation whose requests can trigger the defect. */
  readonly operation: Operation;
  /** The violated rule: a JSON pointer into openapi.yaml, or a quotation from there or from the documentation. */
  readonly breaks: string;
  /** Where the violated rule is: in a schema of the description, which programs can read, or only in prose. */
  readonly ruleIn: 'schema' | 'prose';
  /** A POSIX shell command that shows the defect in an empty store. It uses the variables of the grader. */
  readonly show: string;
  /** The responses of the clean service to the example: the statuses in order, and other relevant parts. */
  readonly clean: string;
  /** The codes of the fault categories of Web Fuzzing Commons that name the defect, best first. Empty: none does. */
  readonly wfc: readonly number[];
  /** The risk in the OWASP API Security Top 10 of 2023. Absent: none fits. */
  readonly owasp?: `API${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;
  /** The number of the weakness in the Common Weakness Enumeration. Absent: none fits. */
  readonly cwe?: number;
  readonly plant: Plant;
}

/** Draws what differs between the variants of a defect. */
export interface Draw {
  /** Chooses one of the values. The published defect has the first. */
  of<T>(first: T, ...more: readonly T[]): T;
}

/** The members that can differ between the variants of a defect. Without `wfc` no category names it. */
export type Variant<Operation extends string = OperationId | 'any'> = Omit<
  Defect<Operation>,
  'name' | 'tier' | 'ruleIn' | 'wfc'
> &
  Partial<Pick<Defect, 'wfc'>>;

/** A defect as the file of its tier has it. */
export type TierDefect<Operation extends string = OperationId | 'any'> = { readonly name: string } & (
  | Variant<Operation>
  | { readonly vary: (draw: Draw) => Variant<Operation> }
);

/** Calls `count` for each response, or stored state, that the defect changes. */
export type Plant = (count: () => void, context: Pick<FeatureContext, 'engine'>) => Feature;

/** Calls `read` with both schemas. Counts if only one of them accepts. If both refuse, the errors are the right ones. */
function compareReads<T>(
  read: (schema: 'right' | 'wrong', errors: string[]) => T,
  errors: string[],
  count: () => void,
): T {
  const right: string[] = [];
  const wrong: string[] = [];
  read('right', right);
  const found = read('wrong', wrong);
  if (right.length > 0 !== wrong.length > 0) count();
  errors.push(...(wrong.length > 0 && right.length > 0 ? right : wrong));
  return found;
}

/** Reads bodies by another schema. Counts bodies that only one of the two schemas accepts. */
export function replaceBodySchema(id: string, schema: Schema<unknown>): Plant {
  return (count) =>
    changeOperation(id, (operation) => {
      const { body } = operation;
      if (body === undefined) return operation;
      const schemas = { right: body, wrong: schema };
      const read: Schema<unknown>['read'] = (value, written, at, errors) =>
        compareReads((which, found) => schemas[which].read(value, written, at, found), errors, count);
      return { ...operation, body: { ...body, read } };
    });
}

/** Reads a parameter by another schema. Counts values that only one of the two schemas accepts. */
export function replaceParameterSchema(id: string, name: string, schema: Parameter['schema']): Plant {
  return (count) =>
    changeOperation(id, (operation) => {
      const parameters = operation.parameters.map((parameter) => {
        if (parameter.name !== name) return parameter;
        const schemas = { right: parameter.schema, wrong: schema };
        const readText: typeof schema.readText = (text, at, errors) =>
          compareReads((which, found) => schemas[which].readText(text, at, found), errors, count);
        return { ...parameter, schema: { ...schema, readText } };
      });
      return { ...operation, parameters };
    });
}

/** Writes the body of a 200 in another way. Counts responses that differ. */
export function replaceBodyWriter<T>(id: OperationId, write: (value: T, clean: Schema<T>) => string): Plant {
  return changeResponse((response, { operation }) => {
    if (operation?.id !== id || response.status !== 200) return undefined;
    const json = parseJson(Buffer.from(String(response.body)));
    if ('error' in json) throw new Error(`${id} returned a body that is not JSON`);
    const schema = operation.responses[200] as Schema<T>;
    return { ...response, body: write(schema.read(json.value, json.written, '', []) as T, schema) };
  });
}

export function changeOperation(id: string, change: (operation: Operation) => Operation): Feature {
  return { operation: (operation) => (operation.id === id ? change(operation) : operation) };
}

/** Changes a response before common fields are added. `change` returns undefined to leave the response as it is. */
export function changeResponse(change: (response: Response, exchange: Finishable) => Response | undefined): Plant {
  return changeFinish((finish, exchange, response) => finish(exchange, change(response, exchange) ?? response));
}

/** Changes the 200 of an operation. `change` returns undefined to leave the response as it is. */
export function changeSuccess(
  id: OperationId,
  change: (response: Response, exchange: Finishable) => Response | undefined,
): Plant {
  return changeResponse((response, exchange) =>
    exchange.operation?.id === id && response.status === 200 ? change(response, exchange) : undefined,
  );
}

/** Sets a header field of the 200 of an operation. */
export function setField(id: OperationId, name: string, change: (clean: string) => string): Plant {
  return changeSuccess(id, (response) => {
    return { ...response, headers: { ...response.headers, [name]: change(response.headers[name] ?? '') } };
  });
}

/** A number as it is written, so that an int64 stays exact. */
export interface Written {
  readonly rawJSON: string;
}
type Members = Readonly<Record<string, unknown>>;

/** Changes the members of a JSON object, or of each object in an array, in the responses of a status. */
export function changeMembers(id: string, status: number, change: (members: Members) => Members): Plant {
  const keep = (_: string, value: unknown, context?: { readonly source: string }) =>
    typeof value === 'number' && context ? JSON.rawJSON(context.source) : value;
  return changeResponse((response, { operation }) => {
    if (operation?.id !== id || response.status !== status) return undefined;
    const json = JSON.parse(String(response.body), keep);
    return { ...response, body: JSON.stringify(Array.isArray(json) ? json.map(change) : change(json)) };
  });
}

/** Removes header fields from a response. `chosen` returns undefined to leave the response as it is. */
export function removeFields(
  chosen: (response: Response, exchange: Finishable) => readonly string[] | undefined,
): Plant {
  return changeFinish((finish, exchange, response) => {
    const finished = finish(exchange, response);
    const names = chosen(finished, exchange) ?? [];
    return {
      ...finished,
      headers: Object.fromEntries(Object.entries(finished.headers).filter(([name]) => !names.includes(name))),
    };
  });
}

/** Finishes responses in another way. Counts the responses that a client sees differently. */
export function changeFinish(
  change: (finish: Steps['finish'], exchange: Finishable, response: Response) => Response,
): Plant {
  return changeSteps(({ finish }, count) => ({
    finish(exchange, response) {
      const wrong = change(finish, exchange, response);
      if (seenBy(exchange, wrong) !== seenBy(exchange, finish(exchange, response))) count();
      return wrong;
    },
  }));
}

/** The part of a response that a client sees. HEAD gets no body. */
function seenBy({ request }: Finishable, { status, headers, body }: Response): string {
  return JSON.stringify([status, headers, request.method === 'HEAD' ? '' : String(body)]);
}

/** Accepts refused credentials. `forgive` returns the credential to use instead, or undefined to refuse it. */
export function acceptRefused(forgive: (problem: Problem, exchange: Exchange) => Credential | undefined): Plant {
  return changeSteps((steps, count) => ({
    async authenticate(exchange) {
      try {
        return await steps.authenticate(exchange);
      } catch (error) {
        const credential = error instanceof Problem ? forgive(error, exchange) : undefined;
        if (credential === undefined) throw error;
        count();
        return credential;
      }
    },
  }));
}

export function changeSteps(change: (steps: Steps, count: () => void) => Partial<Steps>): Plant {
  return (count) => ({ steps: (steps) => ({ ...steps, ...change(steps, count) }) });
}

export function changePlants(change: (plants: PlantStore, count: () => void) => Partial<PlantStore>): Plant {
  return (count) => ({ plants: (plants) => ({ ...plants, ...change(plants, count) }) });
}

export type Variable = 'TOKEN' | 'READ_TOKEN' | 'EXPIRED_TOKEN' | 'REVOKED_TOKEN' | 'OTHER_TOKEN';

/** A curl line that sends the requests on one connection. */
export const curl = (...requests: readonly string[]): string => `curl -s ${requests.join(' --next -s ')}`;
/** One request of a curl line. `more` has further options of curl. */
export const request = (target: string, more = '', token: Variable | null = 'TOKEN'): string => {
  const credential = token === null ? '' : ` -H "Authorization: Bearer $PLANTSTORE_${token}"`;
  return `-i "$PLANTSTORE_URL${target}"${credential}${more === '' ? '' : ` ${more}`}`;
};
export const create = (json: string, token?: Variable | null): string => request('/plants', `--json '${json}'`, token);
export const replace = (id: number, json: string, more = ''): string =>
  request(`/plants/${id}`, `-X PUT --json '${json}'${more}`);

/** A plant for the lines. */
export const ALOE = '{"id": 12, "name": "Aloe vera", "tag": "succulent"}';
