// Written in syntax that every Node can read, so that an old Node gets a message instead of a SyntaxError.
// A browser has no process, or the one of a bundler, which has no version.
var found = (typeof process === 'object' && process.versions) || {};
var node = (found.node || '0.0').split('.').map(Number);
var sqlite = (found.sqlite || '0.0.0').split('.').map(Number);
// Deno and Bun also have a version of Node, but lack modules of it.
var other = found.deno ? 'Deno ' + found.deno : found.bun ? 'Bun ' + found.bun : undefined;
if (!found.node) other = 'a browser; start the store in Node, for example in the globalSetup of your test runner';
var isNodeRight = !other && (node[0] > 25 || (node[0] === 25 && node[1] >= 9) || (node[0] === 24 && node[1] >= 15));
// Before SQLite 3.51.3, a file with two connections can be damaged when its write-ahead log starts over.
var isSqliteRight = sqlite[0] * 1e6 + sqlite[1] * 1e3 + sqlite[2] >= 3051003;

/** What this Node lacks, or undefined. */
exports.missing = !isNodeRight
  ? 'needs Node 24.15 or a later 24, or 25.9 or later; this is ' + (other || 'Node ' + found.node)
  : !isSqliteRight
    ? 'needs SQLite 3.51.3 or later; this Node ' + found.node + ' has ' + (found.sqlite || 'none')
    : undefined;
