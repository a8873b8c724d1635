/** The times of webhooks, in milliseconds. Tests use shorter times. */
export interface WebhookTimes {
  /** The longest time of an attempt. */
  readonly attempt: number;
  /** The pause after the first failure, and the longest pause. */
  readonly firstPause: number;
  readonly lastPause: number;
  /** The shortest time between two saves of a webhook that makes progress. */
  readonly save: number;
  /** How often a process looks for changes. */
  readonly look: number;
  /** How often a process raises its beat. */
  readonly beat: number;
  /** How long the beat of a process stays the same before another process takes its webhooks. */
  readonly silence: number;
  /** How long both secrets sign after a rotation. */
  readonly rotation: number;
}

export const WEBHOOK_TIMES: WebhookTimes = {
  attempt: 15_000,
  firstPause: 1_000,
  lastPause: 3_600_000,
  save: 200,
  look: 1_000,
  beat: 5_000,
  silence: 20_000,
  rotation: 86_400_000,
};
