/** Messages to the process that started this one with a message channel, as `plantstore grade` does. */

/** Does nothing if there is no channel. */
export function sendToParent(message: object): void {
  // The parent may be gone, and this process may be about to exit: neither is an error.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
