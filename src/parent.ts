/** Messages to the process that started this one with a message channel, as `plantstore grade` does. */

/** Sends a message to the parent. Does nothing if there is no channel. */
export function sendToParent(message: object): void {
  // It is no error if the parent has ended or this process is about to exit.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
