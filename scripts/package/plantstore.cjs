#!/usr/bin/env node
// SIGUSR1, which programs for log rotation send, would open Node's debugger on a port without a credential. The first
// line cannot pass --disable-sigusr1 to Node on every system, but a signal with a listener has no other effect.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

var missing = require('./requirements.cjs').missing;

if (missing) {
  console.error('plantstore: ' + missing);
  process.exitCode = 1;
} else {
  require('./start.cjs');
}
