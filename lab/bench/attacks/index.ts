/** All attacks by name. */
import type { Attack } from './attack.ts';
import { delayedLists } from './delayed-lists.ts';
import { eventPages } from './event-pages.ts';
import { events } from './event-readers.ts';
import { leaving } from './leaving.ts';
import { leftovers } from './leftovers.ts';
import { longLists } from './long-lists.ts';
import { manyTokens } from './many-tokens.ts';
import { networks } from './networks.ts';
import { pipelines } from './pipelines.ts';
import { records } from './request-records.ts';
import { resets } from './resets.ts';
import { slowBodies } from './slow-bodies.ts';
import { unknownTokens } from './unknown-tokens.ts';
import { webhooks } from './webhooks.ts';

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'delayed-lists': delayedLists,
  'resets-8': resets(8),
  'resets-64': resets(64),
  'resets-250': resets(250),
  'unknown-tokens': unknownTokens(true),
  'wrong-checksums': unknownTokens(false),
  'long-lists': longLists,
  'slow-bodies': slowBodies,
  records,
  leftovers,
  'many-tokens': manyTokens,
  'networks-56': networks(56),
  'networks-48': networks(48),
  pipelines,
  events,
  'event-pages': eventPages,
  'leaving-fin': leaving('FIN'),
  'leaving-rst': leaving('RST'),
  'leaving-proxy': leaving('proxy'),
  webhooks,
};
