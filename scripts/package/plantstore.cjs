#!/usr/bin/env node
var missing = require('./requirements.cjs').missing;

if (missing) {
  console.error('plantstore: ' + missing);
  process.exitCode = 1;
} else {
  require('./start.cjs');
}
