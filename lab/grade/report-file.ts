/** Reads the report of a tester. The report may be missing, too long, or not a file. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The reason why a report cannot be read, by the code of the error when it is opened. */
const NO_FILES: Readonly<Record<string, string>> = {
  ENOENT: 'there is none',
  ELOOP: 'it is not a file',
  ENXIO: 'it is not a file',
};

/** Throws an Error with the reason if there is no file, or with `advice` too if it has more than `most` bytes. */
export function readReportFile(path: string, most: number, advice = ''): Buffer {
  const file = openReport(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > most) throw new Error([`it has more than ${most} bytes`, advice].filter(Boolean).join('; '));
    // The file may grow meanwhile, so only this many bytes are read.
    const bytes = Buffer.alloc(stats.size);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(file, bytes, size, bytes.length - size, null);
    }
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

function openReport(path: string): number {
  try {
    // Without O_NONBLOCK, opening a FIFO would never end.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = Error.isError(error) && 'code' in error ? String(error.code) : '';
    throw new Error(NO_FILES[code] ?? (Error.isError(error) ? error.message : String(error)), { cause: error });
  }
}
