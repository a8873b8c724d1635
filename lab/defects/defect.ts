/** What a planted defect is. */
import type { Feature, FeatureContext } from '../../src/feature.ts';

/** The operations of the store's API that defects are about. */
export type OperationId = 'createPlant' | 'getPlant' | 'listPlants' | 'replacePlant' | 'deletePlant';

/** A tier groups defects by what a tester has to do to find them. */
export type Tier = 'schema' | 'input' | 'credentials' | 'state' | 'protocol';

/** The entries of public catalogues that fit a defect. */
interface Classes {
  /** The codes of the fault categories of Web Fuzzing Commons that name the defect, best first. Empty: none does. */
  readonly wfc: readonly number[];
  /** The risk in the OWASP API Security Top 10 of 2023. Absent: none fits. */
  readonly owasp?: `API${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;
  /** The number of the weakness in the Common Weakness Enumeration. Absent: none fits. */
  readonly cwe?: number;
}

/** What can differ between the variants of a defect. `Operation`: the operationIds of its API, and `any`. */
interface Facts<Operation extends string> {
  /** The wrong behaviour, in one sentence. */
  readonly does: string;
  /** The operation whose requests can trigger the defect. */
  readonly operation: Operation;
  /** The violated rule: a JSON pointer into the API's description, or a quotation from there or from the docs. */
  readonly breaks: string;
  /** A POSIX shell command that shows the defect in an empty store. It uses the variables of the grader. */
  readonly show: string;
  /** The responses of the clean service to the example: the statuses in order, and other relevant parts. */
  readonly clean: string;
  readonly plant: Plant;
}

export interface Defect extends Facts<string>, Classes {
  readonly name: string;
  readonly tier: Tier;
  /** Where the violated rule is: in a schema of the description, which programs can read, or only in prose. */
  readonly ruleIn: 'schema' | 'prose';
}

export type Variant<Operation extends string = OperationId | 'any'> = Facts<Operation> & {
  readonly classes?: Partial<Classes>;
};

/** A defect as the file of its tier has it: without variants, or with the published variant first. */
export type TierDefect<Operation extends string = OperationId | 'any'> = { readonly name: string } & (
  | Variant<Operation>
  | { readonly variants: readonly Variant<Operation>[] }
);

/** Calls `count` for each response, or stored state, that the defect changes. */
export type Plant = (count: () => void, context: Pick<FeatureContext, 'engine'>) => Feature;
