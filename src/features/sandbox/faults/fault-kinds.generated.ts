// Generated from src/features/sandbox/faults/kinds by npm run generate. Do not edit.
import type { FaultKind } from './fault-kind.ts';
import { changedBody } from './kinds/changedBody.ts';
import { close } from './kinds/close.ts';
import { delay } from './kinds/delay.ts';
import { duplicate } from './kinds/duplicate.ts';
import { gap } from './kinds/gap.ts';
import { hugeBody } from './kinds/hugeBody.ts';
import { idle } from './kinds/idle.ts';
import { oldTimestamp } from './kinds/oldTimestamp.ts';
import { proxy } from './kinds/proxy.ts';
import { race } from './kinds/race.ts';
import { reordered } from './kinds/reordered.ts';
import { reset } from './kinds/reset.ts';
import { silent } from './kinds/silent.ts';
import { slow } from './kinds/slow.ts';
import { status } from './kinds/status.ts';
import { truncate } from './kinds/truncate.ts';
import { unknownType } from './kinds/unknownType.ts';
import { unsigned } from './kinds/unsigned.ts';
import { wrongSignature } from './kinds/wrongSignature.ts';
import type { Fault } from '../sandbox.generated.ts';

export const KINDS: Readonly<Record<Fault['kind'], FaultKind>> = {
  changedBody,
  close,
  delay,
  duplicate,
  gap,
  hugeBody,
  idle,
  oldTimestamp,
  proxy,
  race,
  reordered,
  reset,
  silent,
  slow,
  status,
  truncate,
  unknownType,
  unsigned,
  wrongSignature,
};
