/** The credential of a request with the token of a sandbox, and what this feature notes about the request. */
import type { Credential } from '../../auth/credential.ts';
import type { Finishable } from '../../http/exchange.ts';
import type { StoreName } from '../../plants/plant.ts';
import type { AppliedFault } from './faults/fault-kind.ts';
import type { KeptRequest } from './record/kept-request.ts';
import type { Sandbox } from './sandbox-records.ts';

/** The token of a sandbox permits every operation. */
const EVERY_SCOPE = { has: () => true };

/** Each request has its own. Properties are faster here than a WeakMap from requests. */
export class SandboxCredential implements Credential {
  readonly id: string;
  readonly scopes = EVERY_SCOPE;
  readonly isPublic = true;
  sandbox: Sandbox;
  /** The request in the record, if it is recorded. */
  recorded: KeptRequest | undefined = undefined;
  /** Whether the operation is being performed, perhaps although the client has left. */
  isPerforming = false;
  applied: AppliedFault | undefined = undefined;

  /** `hash`: the token's. */
  constructor(hash: string, sandbox: Sandbox) {
    this.id = hash;
    this.sandbox = sandbox;
  }

  get store(): StoreName {
    return this.sandbox.store;
  }
}

/** Undefined for a request without the token of a sandbox. */
export function sandboxCredentialOf({ credential }: Pick<Finishable, 'credential'>): SandboxCredential | undefined {
  return credential instanceof SandboxCredential ? credential : undefined;
}
