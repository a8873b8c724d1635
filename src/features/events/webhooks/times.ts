/** The times of webhooks, in milliseconds. Tests use shorter times. */
export const WEBHOOK_TIMES = {
  /** The longest time of an attempt. */
  attempt: 15_000,
  /** The pause after the first failure, and the longest pause. */
  firstPause: 1_000,
  lastPause: 3_600_000,
  /** The shortest time between two saves of a webhook that makes progress. */
  save: 200,
  /** How often a process looks for changes. */
  look: 1_000,
  /** How often a process raises its beat. */
  beat: 5_000,
  /** How long the beat of a process stays the same before another process takes its webhooks. */
  silence: 20_000,
  /** How long both secrets sign after a rotation. */
  rotation: 86_400_000,
};
export type WebhookTimes = Readonly<typeof WEBHOOK_TIMES>;
