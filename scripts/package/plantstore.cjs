#!/usr/bin/env node
// Written so that any Node can read it: an old one is told what is missing, instead of failing at the first new word.
var found = process.versions;
var node = found.node.split('.').map(Number);
var sqlite = (found.sqlite || '0.0.0').split('.').map(Number);
var isNodeRight = node[0] > 25 || (node[0] === 25 && node[1] >= 9) || (node[0] === 24 && node[1] >= 15);
// Before 3.51.3 a file that two connections write can be damaged when its log starts over.
var isSqliteRight = sqlite[0] * 1e6 + sqlite[1] * 1e3 + sqlite[2] >= 3051003;

if (!isNodeRight) {
  console.error('plantstore: it needs Node 24.15 or a newer 24, or 25.9 or newer; here is ' + found.node);
  process.exitCode = 1;
} else if (!isSqliteRight) {
  console.error(
    'plantstore: it needs SQLite 3.51.3 or newer; this Node ' + found.node + ' has ' + (found.sqlite || 'none'),
  );
  process.exitCode = 1;
} else {
  require('./start.cjs');
}
