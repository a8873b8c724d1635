/** A demo: a temporary database, and a token that is no secret. The sandboxes add the garden. */
import type { OpenFeature } from '../../feature.ts';

/** The configuration of every demo. */
export const DEMO = { database: 'temporary', token: 'demo' } as const;

export const openDemo: OpenFeature = () => ({ page: { token: DEMO.token } });
