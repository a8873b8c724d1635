/** The media types of the events. */
import { preferredType } from '../../http/negotiation.ts';

/** The first is the default. */
const FORMS = ['application/json', 'text/event-stream', 'application/jsonl'] as const;
export type Form = (typeof FORMS)[number];

/** The form that the client prefers. A client that accepts none of them gets JSON. */
export const formFor = (accept: string | undefined): Form => preferredType(accept, FORMS);
