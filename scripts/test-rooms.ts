/** The folders of tests. Add a new folder to one of these lists. */

/** The service's tests, and a black box that checks its description. `npm test` runs them. */
export const ROOMS = [
  ...['auth', 'bin', 'cli', 'contract', 'deploy', 'docs', 'durability', 'examples', 'features', 'http', 'library'].map(
    (room) => `test/${room}`,
  ),
  ...['observe', 'operations', 'plants', 'scripts', 'stores', 'transfer', 'util', 'walks'].map(
    (room) => `test/${room}`,
  ),
  'lab/test/black-box',
];

/** The laboratory's tests. `npm run test:lab` runs them. */
export const LAB = ['defects', 'grade', 'walks'].map((room) => `lab/test/${room}`);

/** They need more than npm, bash and curl, or take long and test no promise of the service. Each has a command. */
export const OUTSIDE = [
  ...['browser', 'citus', 'executable', 'image', 'package', 'repository'].map((room) => `test/${room}`),
  'lab/test/gradings',
];

/**
 * `npm run test:long` runs these files again, with more cases of each kind. `npm test` and `npm run test:lab` run a
 * part of the cases.
 */
export const LONG = [
  ...['defects', 'differential', 'events'].map((name) => `lab/test/defects/${name}.test.ts`),
  ...['kill', 'shutdown'].map((name) => `test/durability/${name}.test.ts`),
  ...['linearizability', 'model'].map((name) => `test/plants/${name}.test.ts`),
  ...['events', 'sandbox'].map((feature) => `test/features/${feature}/model.test.ts`),
  'test/features/webhooks/exactly.test.ts',
  ...['csv', 'ndjson'].map((format) => `test/transfer/${format}.test.ts`),
  'lab/test/grade/luck.test.ts',
  'test/auth/stores.test.ts',
  'test/features/sandbox/faults.test.ts',
  'test/features/sandbox/leaving.test.ts',
  'test/http/workflows.test.ts',
  'test/walks/teacher.test.ts',
];
