/**
 * Imports point down only. In the model (src): main, index → cli → service, features/index → the features (one folder
 * each) → feature → http, operations, page, stores, transfer → auth, contract, plants → config, observe,
 * errors, util. In the laboratory (lab): commands → grade → defects → util → the model.
 */
const GROUND = '^src/(errors\\.ts$|util/)';
const FEATURES = '^src/features/[^/]+/';
/** The files of a feature that the command line always loads: they say when it is asked for, and add options and commands. */
const ENTRY = '(entry|options|commands)\\.ts$';
/** Matches a folder, or the file with this name. */
const room = (name) => `^src/${name}(/|\\.ts$)`;
const only = (name, allowed) => ({
  name: `${name.replace('/', '-')}-imports`,
  severity: 'error',
  from: { path: room(name) },
  to: { path: '^src/', pathNot: [room(name), GROUND, ...allowed.map(room)] },
});
const labOnly = (name, others) => ({
  name: `lab-${name}-imports`,
  severity: 'error',
  from: { path: `^lab/${name}/` },
  to: { path: '^(lab|scripts|test)/', pathNot: [name, 'util', ...others].map((folder) => `^lab/${folder}/`) },
});
/**
 * The model's public face: the modules of the model that the laboratory may import, at most 30. The laboratory's tests
 * may look behind it.
 */
const FACE = [
  ...['auth/token', 'errors', 'feature', 'index', 'program'],
  ...['cli/command-line', 'cli/options', 'cli/output', 'cli/output-file', 'cli/process', 'cli/values'],
  ...['contract/json', 'contract/openapi.generated', 'contract/schema'],
  ...['features/sandbox/sandbox-records', 'plants/cursor', 'plants/plant'],
  ...['http/exchange', 'http/read-input', 'http/response'],
  ...['stores/open', 'stores/sqlite/temporary', 'transfer/open-input'],
  ...['util/assets', 'util/html', 'util/nearest', 'util/new-file', 'util/printable', 'util/random'],
  'util/version.generated',
];
if (FACE.length > 30) throw new Error('the public face has more than 30 modules');

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^(src|lab)/' }, to: { circular: true } },
    { name: 'nothing-imports-main', severity: 'error', from: {}, to: { path: '^src/main\\.ts$' } },
    {
      // The service runs without these folders.
      name: 'the-model-imports-nothing-of-the-laboratory',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(lab|scripts|test)/' },
    },
    {
      name: 'only-main-imports-cli',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/cli/', '^src/(main|index|program|features/(entry|index))\\.ts$', FEATURES + ENTRY],
      },
      to: { path: '^src/cli/' },
    },
    {
      name: 'the-entries-of-features-import-the-parts-of-commands',
      severity: 'error',
      from: { path: '^src/features/' },
      to: { path: '^src/cli/', pathNot: '^src/cli/(command-line|options|output|values)\\.ts$' },
    },
    {
      name: 'only-cli-imports-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli/|index\\.ts$)' },
      to: { path: '^src/service\\.ts$' },
    },
    {
      name: 'only-the-list-imports-features',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/index\\.ts$', '^src/features/'] },
      to: { path: FEATURES },
    },
    {
      name: 'features-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: FEATURES, pathNot: '^src/features/$1/' },
    },
    {
      // The library exports types of a feature, and loads its client only when it is asked for.
      name: 'the-library-imports-only-types-of-features',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: FEATURES, dependencyTypesNot: ['type-only'], dynamic: false },
    },
    {
      // A new folder needs a line below: what it may import.
      name: 'every-folder-has-a-rule',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: [
          '^src/(auth|cli|contract|http|observe|operations|page|plants|stores|transfer|util)/',
          '^src/features/([^/]+/|(index|entry)\\.ts$)',
        ],
      },
      to: { path: '^src/' },
    },
    only('http', ['auth', 'contract', 'plants', 'observe', 'config']),
    only('page', ['http']),
    only('operations', ['contract', 'plants', 'http']),
    {
      // Only the file that makes the Api: a handler is without HTTP.
      name: 'handlers-import-no-http',
      severity: 'error',
      from: { path: '^src/operations/', pathNot: '^src/operations/index\\.ts$' },
      to: { path: '^src/http/' },
    },
    only('transfer', ['contract', 'plants']),
    only('stores', ['auth', 'contract', 'plants']),
    only('auth', ['plants', 'observe', 'config']),
    only('contract', []),
    only('plants', ['contract']),
    only('config', ['observe']),
    only('observe', []),
    only('feature', ['config', 'page', 'http', 'auth', 'contract', 'plants', 'stores', 'observe']),
    only('features/entry', ['config', 'feature', 'cli/command-line']),
    only('features/index', ['config', 'feature', 'cli/command-line', 'features/entry', 'features/[^/]+/entry']),
    {
      name: 'features-imports',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/', pathNot: ENTRY },
      to: {
        path: '^src/',
        pathNot: [
          '^src/features/$1/',
          GROUND,
          ...['feature', 'http', 'page', 'auth', 'contract', 'plants', 'stores', 'observe'].map(room),
        ],
      },
    },
    labOnly('util', []),
    labOnly('defects', []),
    labOnly('grade', ['defects']),
    labOnly('commands', ['defects', 'grade']),
    {
      name: 'the-laboratory-imports-the-public-face',
      severity: 'error',
      from: { path: '^lab/', pathNot: '^lab/test/' },
      to: { path: '^src/', pathNot: FACE.map((name) => `^src/${name}\\.ts$`) },
    },
    {
      // What every description has: no code here knows which description is served.
      name: 'code-for-descriptions-knows-none',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: '\\.generated\\.ts$' },
      to: { path: '\\.generated\\.ts$' },
    },
    {
      name: 'engines-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/stores/([^/]+)/' },
      to: { path: '^src/stores/[^/]+/', pathNot: '^src/stores/$1/' },
    },
    {
      // src/http/connections/listener.ts explains why.
      name: 'node-http-is-not-imported',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^https?$', dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-ground-imports-only-the-ground',
      severity: 'error',
      from: { path: GROUND },
      to: { path: '^src/', pathNot: GROUND },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Programs of other people's tools, with packages of their own.
    exclude: { path: '^lab/(bench/peers|(clients|testers|tools)/[^/]+/)' },
  },
};
