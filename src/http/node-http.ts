/**
 * Owns loading Node's HTTP. An import would read each of its exports, also those that load what they need when they are
 * first read: all of undici, for WebSocket, which nobody uses here (docs/adr/0007-speed.md).
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
