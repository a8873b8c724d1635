// The entry of the library, for import and for require.
var missing = require('./requirements.cjs').missing;

if (missing) throw new Error('plant-store: ' + missing);
exports.startPlantStore = require('../lib/code/index.js').startPlantStore;
