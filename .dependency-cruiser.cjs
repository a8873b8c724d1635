/**
 * Imports point down only: main, index → cli → service, features → the features (demo, sandbox, events, defects; grade) →
 * feature → http, operations, docs, stores, transfer → auth, description → contract, plants → config, observe, errors.
 */
const GROUND = '^src/(errors|assets|lru-cache|nearest|new-file|parent|random|turns|version\\.generated)\\.ts$';
const FEATURES = '^src/(demo|sandbox|events|defects|grade)/';
/** Matches a folder, or the file with this name. */
const room = (name) => `^src/${name}(/|\\.ts$)`;
const only = (name, allowed) => ({
  name: `${name}-imports`,
  severity: 'error',
  from: { path: room(name) },
  to: { path: '^src/', pathNot: [room(name), GROUND, ...allowed.map(room)] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nothing-imports-main', severity: 'error', from: {}, to: { path: '^src/main\\.ts$' } },
    {
      name: 'only-main-imports-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli/', '^src/(main|index)\\.ts$'] },
      to: { path: '^src/cli/' },
    },
    {
      name: 'only-cli-imports-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli/|index\\.ts$)' },
      to: { path: '^src/service\\.ts$' },
    },
    {
      name: 'only-the-loading-file-imports-features',
      severity: 'error',
      from: { path: '^src/([^/]+)', pathNot: '^src/(cli/|grade/|features\\.ts$|catalogue\\.ts$|index\\.ts$)' },
      to: { path: FEATURES, pathNot: '^src/$1/' },
    },
    {
      // The library exports types of a feature, but loads none of its code.
      name: 'the-library-imports-only-types-of-features',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: FEATURES, dependencyTypesNot: ['type-only'] },
    },
    {
      // A new folder needs a line below: what it may import.
      name: 'every-folder-has-a-rule',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot:
          '^src/(cli|http|docs|operations|transfer|stores|auth|description|contract|plants|observe|demo|sandbox|events|defects|grade)/',
      },
      to: { path: '^src/' },
    },
    only('http', ['auth', 'contract', 'plants', 'observe']),
    only('docs', ['http']),
    only('operations', ['description', 'contract', 'plants']),
    only('transfer', ['description', 'contract', 'plants']),
    only('stores', ['auth', 'contract', 'plants', 'observe']),
    only('auth', ['plants', 'observe', 'config']),
    only('description', ['contract']),
    only('contract', []),
    only('plants', []),
    only('config', ['observe']),
    only('observe', []),
    only('catalogue', ['sandbox', 'events']),
    only('feature', ['config', 'docs', 'http', 'auth', 'contract', 'plants', 'stores', 'observe']),
    only('features', ['config', 'feature', 'demo', 'sandbox', 'events', 'defects']),
    only('demo', ['feature', 'plants']),
    only('events', ['feature', 'http', 'contract', 'plants', 'stores', 'observe']),
    only('sandbox', ['feature', 'http', 'docs', 'auth', 'description', 'contract', 'plants', 'stores', 'observe']),
    only('defects', ['feature', 'http', 'auth', 'description', 'contract', 'plants']),
    only('grade', ['defects', 'auth', 'description', 'contract', 'stores', 'transfer']),
    {
      name: 'engines-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/stores/([^/]+)/' },
      to: { path: '^src/stores/[^/]+/', pathNot: '^src/stores/$1/' },
    },
    {
      // src/http/listener.ts explains why.
      name: 'node-http-is-not-imported',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^https?$', dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-ground-imports-nothing-but-errors',
      severity: 'error',
      from: { path: GROUND },
      to: { path: '^src/', pathNot: '^src/errors\\.ts$' },
    },
  ],
  options: { tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' } },
};
