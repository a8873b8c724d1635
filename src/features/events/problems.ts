/** The error numbers that only events have, and when each is sent. */
export const eventErrors = {
  40030: 'The service does not send webhooks to this address. The message contains the reason.',
  40031: 'The store has the maximum number of webhooks.',
  40403: 'The store has no such webhook.',
  41000: 'The events after the cursor are no longer kept. The message explains how to begin again.',
} as const;
