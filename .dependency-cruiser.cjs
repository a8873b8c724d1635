/**
 * Imports point down only: main → cli → grade → defects, service → sandbox → http, operations, docs, stores →
 * transfer, auth, contract, plants → observe, errors, assets, lru-cache, nearest, new-file.
 */
const GROUND = '^src/(errors|assets|lru-cache|nearest|new-file|parent|version\\.generated)\\.ts$';
/** A folder, or the one file of this name. */
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
    only('grade', ['defects', 'auth', 'description', 'contract', 'stores', 'transfer']),
    only('sandbox', ['http', 'docs', 'auth', 'description', 'contract', 'plants', 'stores', 'observe', 'alterations']),
    only('defects', ['http', 'auth', 'description', 'contract', 'plants', 'alterations']),
    {
      name: 'engines-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/stores/([^/]+)/' },
      to: { path: '^src/stores/[^/]+/', pathNot: '^src/stores/$1/' },
    },
    {
      // Why is said in src/http/listener.ts.
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
