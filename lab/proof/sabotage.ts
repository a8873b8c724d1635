/** Loaded into the service with `--import`. Removes a precaution of the service, as $PROOF_CONTROL says. */
import fs from 'node:fs';
import http, { type RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLInputValue, type StatementResultingChanges } from 'node:sqlite';

const { exec, prepare } = DatabaseSync.prototype;

/** Changes one of 16 messages of webhooks before it is sent. */
function changeMessages(change: (url: URL, fields: Record<string, string>) => URL): void {
  const { request } = http;
  let messages = 0;
  const changed = (url: URL, options: RequestOptions) => {
    const fields = (options.headers ?? {}) as Record<string, string>;
    const isChosen = 'webhook-id' in fields && messages++ % 16 === 8;
    return request(isChosen ? change(url, fields) : url, options);
  };
  http.request = changed as typeof request;
}

const CONTROLS: Readonly<Record<string, () => void>> = {
  'synchronous-normal'() {
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql.replace('synchronous = FULL', 'synchronous = NORMAL'));
    };
    // The service reads the setting back.
    DatabaseSync.prototype.prepare = function (sql) {
      return prepare.call(this, sql === 'PRAGMA synchronous' ? 'SELECT 2 AS synchronous' : sql);
    };
  },
  'files-not-synced'() {
    fs.fsyncSync = () => undefined;
    syncBuiltinESMExports();
  },
  /** Commits a change before it writes the event, in one of 16 cases. */
  'event-apart'() {
    let events = 0;
    DatabaseSync.prototype.prepare = function (sql) {
      const statement = prepare.call(this, sql);
      if (!sql.includes('INSERT INTO event_counts (store, last) VALUES (?, 1)')) return statement;
      const run: (...values: SQLInputValue[]) => StatementResultingChanges = statement.run.bind(statement);
      return Object.assign(statement, {
        run: (...values: SQLInputValue[]) => {
          if (events++ % 16 === 0) exec.call(this, 'COMMIT; BEGIN IMMEDIATE');
          return run(...values);
        },
      });
    };
  },
  'message-lost'() {
    const server = http.createServer((_, response) => response.writeHead(204).end()).unref();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      changeMessages(() => new URL(`http://127.0.0.1:${port}`));
    });
  },
  'old-secret'() {
    changeMessages((url, fields) => {
      fields['webhook-signature'] = fields['webhook-signature']?.split(' ').at(-1) ?? '';
      return url;
    });
  },
  'errors-ignored'() {
    DatabaseSync.prototype.prepare = function (sql) {
      const statement = prepare.call(this, sql);
      if (sql !== 'COMMIT') return statement;
      const commit = statement.run.bind(statement);
      statement.run = () => {
        try {
          return commit();
        } catch {
          return { changes: 0, lastInsertRowid: 0 };
        }
      };
      return statement;
    };
  },
  'place-ignored'() {
    const { statSync } = fs;
    fs.statSync = ((path: string, options?: fs.StatSyncOptions) =>
      path.includes('plants.db') && options === undefined ? { ino: 1 } : statSync(path, options)) as typeof statSync;
    syncBuiltinESMExports();
  },
};
CONTROLS[process.env['PROOF_CONTROL'] ?? '']?.();
