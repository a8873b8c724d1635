// The entry of the library, for import and for require.
var missing = require('./requirements.cjs').missing;
var vm = require('node:vm');

if (missing) throw new Error('plant-store: ' + missing);

// A test runner may run tests in a realm of its own: Jest does, and Vitest with vmThreads. The library needs the classes
// and the module loader of Node itself, so it is loaded in Node's own realm. There it can be required although it
// consists of ES modules, which Jest alone cannot do.
var nodeModule = vm.runInThisContext('process').getBuiltinModule('node:module');
exports.startPlantStore = nodeModule.createRequire(__filename)('../lib/code/index.js').startPlantStore;
