/** What a planted defect is, and the ways of planting one: another schema, another response, another store. */
import type { Credential } from '../auth/credential.ts';
import type { Operation, Parameter } from '../contract/operation.ts';
import type { Schema } from '../contract/schema.ts';
import type { operations } from '../description/openapi.generated.ts';
import { Problem } from '../errors.ts';
import type { Feature } from '../feature.ts';
import type { AnyInput, Exchange, Finishable } from '../http/exchange.ts';
import type { Steps } from '../http/pipeline.ts';
import type { Response } from '../http/response.ts';
import type { PlantStore } from '../plants/plant-store.ts';

export type OperationId = keyof typeof operations;

/** What a tester has to do to find the defects of a tier. */
export type Tier = 'schema' | 'input' | 'credentials' | 'state' | 'protocol';

export interface Defect {
  readonly name: string;
  readonly tier: Tier;
  /** What it does wrong: one sentence. */
  readonly does: string;
  /** Whose requests can meet it. */
  readonly operation: OperationId | 'any';
  /** What it breaks: a JSON pointer into openapi.yaml, or words that stand there or in the documentation for people. */
  readonly breaks: string;
  /** Where the violated rule is: in a schema of the description, which programs can read, or only in prose. */
  readonly ruleIn: 'schema' | 'prose';
  /** A line for a POSIX shell that shows it, with an empty store and the variables that the grader sets. */
  readonly show: string;
  /** What the clean service responds to that line: the statuses in their order, and what matters beside them. */
  readonly clean: string;
  readonly plant: Plant;
}

/** What a tier's file says of each of its defects. */
export type TierDefect = Omit<Defect, 'tier' | 'ruleIn'>;

/** `shown` is called for each response, or stored state, that the defect changes. */
export type Plant = (shown: () => void) => Feature;

/** Another body schema. Shown where it accepts what the description refuses, or refuses what that accepts. */
export function readingBody(id: OperationId, schema: Schema<unknown>): Plant {
  return (shown) =>
    changingOperation(id, (operation) => {
      const { body: clean } = operation;
      if (clean === undefined) return operation;
      const read: Schema<unknown>['read'] = (value, written, at, errors) => {
        const right: string[] = [];
        const wrong: string[] = [];
        clean.read(value, written, at, right);
        const found = schema.read(value, written, at, wrong);
        if (right.length > 0 !== wrong.length > 0) shown();
        errors.push(...wrong);
        return found;
      };
      return { ...operation, body: { ...clean, read } };
    });
}

/** Another schema of a parameter; shown as that of a body is. */
export function readingParameter(id: OperationId, name: string, schema: Parameter['schema']): Plant {
  return (shown) =>
    changingOperation(id, (operation) => {
      const parameters = operation.parameters.map((parameter) => {
        if (parameter.name !== name) return parameter;
        const readText: typeof schema.readText = (text, at, errors) => {
          const right: string[] = [];
          const wrong: string[] = [];
          parameter.schema.readText(text, at, right);
          const found = schema.readText(text, at, wrong);
          if (right.length > 0 !== wrong.length > 0) shown();
          errors.push(...wrong);
          return found;
        };
        return { ...parameter, schema: { ...schema, readText } };
      });
      return { ...operation, parameters };
    });
}

/** Another way to write the body of a success; shown where it differs. */
export function writingBody<T>(id: OperationId, write: (value: T, clean: Schema<T>) => string): Plant {
  return (shown) =>
    changingOperation(id, (operation) => {
      const clean = operation.responses[200] as Schema<T>;
      const writeWrong = (value: T) => {
        const wrong = write(value, clean);
        if (wrong !== clean.write(value)) shown();
        return wrong;
      };
      return { ...operation, responses: { ...operation.responses, 200: { ...clean, write: writeWrong } } };
    });
}

export function changingOperation(id: OperationId, change: (operation: Operation) => Operation): Feature {
  return { operation: (operation) => (operation.id === id ? change(operation) : operation) };
}

/** Another response; undefined leaves it as it is. What every response has is added, and its length counted, later. */
export function responding(change: (response: Response, exchange: Finishable) => Response | undefined): Plant {
  return changingSteps((steps, shown) => ({
    finish: (exchange, response) => {
      const changed = change(response, exchange);
      if (changed !== undefined) shown();
      return steps.finish(exchange, changed ?? response);
    },
  }));
}

/** A response without header fields that it has; undefined leaves it as it is. */
export function withoutFields(
  chosen: (response: Response, exchange: Finishable) => readonly string[] | undefined,
): Plant {
  return changingSteps((steps, shown) => ({
    finish: (exchange, response) => {
      const finished = steps.finish(exchange, response);
      const names = chosen(finished, exchange)?.filter((name) => name in finished.headers) ?? [];
      if (names.length === 0) return finished;
      shown();
      const left = Object.entries(finished.headers).filter(([name]) => !names.includes(name));
      return { ...finished, headers: Object.fromEntries(left) };
    },
  }));
}

/** Who a refused credential is taken for; undefined lets it be refused. */
export function accepting(forgive: (problem: Problem, exchange: Exchange) => Credential | undefined): Plant {
  return changingSteps((steps, shown) => ({
    async authenticate(exchange) {
      try {
        return await steps.authenticate(exchange);
      } catch (error) {
        const credential = error instanceof Problem ? forgive(error, exchange) : undefined;
        if (credential === undefined) throw error;
        shown();
        return credential;
      }
    },
  }));
}

/** Is told of the input of every request that is performed, and may throw. */
export function inputRead(look: (input: AnyInput, exchange: Exchange, shown: () => void) => void): Plant {
  return changingSteps((steps, shown) => ({
    async readInput(exchange) {
      const input = await steps.readInput(exchange);
      look(input, exchange, shown);
      return input;
    },
  }));
}

export function changingSteps(change: (steps: Steps, shown: () => void) => Partial<Steps>): Plant {
  return (shown) => ({ steps: (steps) => ({ ...steps, ...change(steps, shown) }) });
}

export function changingPlants(change: (plants: PlantStore, shown: () => void) => Partial<PlantStore>): Plant {
  return (shown) => ({ plants: (plants) => ({ ...plants, ...change(plants, shown) }) });
}

type Variable = 'TOKEN' | 'READ_TOKEN' | 'EXPIRED_TOKEN' | 'REVOKED_TOKEN' | 'OTHER_TOKEN';

/** Requests as one curl line, on one connection. */
export const curl = (...requests: readonly string[]): string => `curl -s ${requests.join(' --next -s ')}`;
/** A request of such a line; curl's further options stand in `more`. */
export const request = (target: string, more = '', token: Variable | null = 'TOKEN'): string => {
  const credential = token === null ? '' : ` -H "Authorization: Bearer $PLANTSTORE_${token}"`;
  return `-i "$PLANTSTORE_URL${target}"${credential}${more === '' ? '' : ` ${more}`}`;
};
export const create = (json: string, token?: Variable): string => request('/plants', `--json '${json}'`, token);
export const replace = (id: number, json: string, more = ''): string =>
  request(`/plants/${id}`, `-X PUT --json '${json}'${more}`);

/** A plant for these lines. */
export const ALOE = '{"id": 12, "name": "Aloe vera", "tag": "succulent"}';
