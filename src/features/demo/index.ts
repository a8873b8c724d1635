/** A demo: a temporary store with the garden, and a token that is no secret. */
import type { OpenFeature } from '../../feature.ts';
import { readGarden } from '../../plants/garden.ts';

/** The configuration of every demo. */
export const DEMO = { database: 'temporary', token: 'demo' } as const;

export const openDemo: OpenFeature = async ({ engine }) => {
  await engine.plants.createMany('default', readGarden());
  return { page: { token: DEMO.token } };
};
