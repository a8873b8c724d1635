// Generated from src/features/sandbox/faults by npm run generate. Do not edit.
import type { FaultKind } from './fault-kind.ts';
import { changedBody } from './faults/changedBody.ts';
import { close } from './faults/close.ts';
import { delay } from './faults/delay.ts';
import { duplicate } from './faults/duplicate.ts';
import { gap } from './faults/gap.ts';
import { hugeBody } from './faults/hugeBody.ts';
import { idle } from './faults/idle.ts';
import { oldTimestamp } from './faults/oldTimestamp.ts';
import { proxy } from './faults/proxy.ts';
import { race } from './faults/race.ts';
import { reordered } from './faults/reordered.ts';
import { reset } from './faults/reset.ts';
import { silent } from './faults/silent.ts';
import { slow } from './faults/slow.ts';
import { status } from './faults/status.ts';
import { truncate } from './faults/truncate.ts';
import { unknownType } from './faults/unknownType.ts';
import { unsigned } from './faults/unsigned.ts';
import { wrongSignature } from './faults/wrongSignature.ts';
import type { Fault } from './sandbox.generated.ts';

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
