/** Owns the progress line of a long command: on a terminal only, rewritten in place. */

export interface Progress {
  show(bytes: number, plants: number): void;
  clear(): void;
}

const SILENT: Progress = { show: () => undefined, clear: () => undefined };
const WIDTH = 30;

/** `size`: the bytes there are in all, where that is known. */
export function createProgress(stream: NodeJS.WritableStream, size: number | undefined): Progress {
  if (!('isTTY' in stream) || stream.isTTY !== true) return SILENT;
  const began = performance.now();
  return {
    show(bytes, plants) {
      const rate = Math.round(plants / ((performance.now() - began) / 1_000));
      const fraction = size === undefined || size === 0 ? undefined : Math.min(bytes / size, 1);
      const bar =
        fraction === undefined ? '' : `${barOf(fraction)} ${String(Math.floor(fraction * 100)).padStart(3)} %  `;
      stream.write(
        `\r\u001B[K${bar}${plants.toLocaleString('en-US')} plants, ${rate.toLocaleString('en-US')} a second`,
      );
    },
    clear: () => void stream.write('\r\u001B[K'),
  };
}

function barOf(fraction: number): string {
  const full = Math.round(fraction * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]`;
}
