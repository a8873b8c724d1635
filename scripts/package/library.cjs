// The entry of the library, for import and for require. It names no module of Node before Node is known to run it, so
// that a program for a browser can be bundled, and gets the Error below.
var missing = require('./requirements.cjs').missing;

if (missing) throw new Error('plant-store: ' + missing);

// A test runner may run tests in a realm of its own: Jest does, and Vitest with vmThreads. The library needs the classes
// and the module loader of Node itself, so it is loaded in Node's own realm. There it can be required although it
// consists of ES modules, which Jest alone cannot do.
var vm = process.getBuiltinModule('node:vm');
var nodeModule = vm.runInThisContext('process').getBuiltinModule('node:module');
exports.startPlantStore = nodeModule.createRequire(__filename)('../lib/code/index.js').startPlantStore;
