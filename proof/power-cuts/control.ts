/** Loaded into the service with `--import`. Removes syncs, as $PROOF_CONTROL says. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

const { exec, prepare } = DatabaseSync.prototype;

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
};
CONTROLS[process.env['PROOF_CONTROL'] ?? '']?.();
