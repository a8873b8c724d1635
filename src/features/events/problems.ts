/** The error numbers that only events have, and when each is sent. */
export const eventErrors = {
  41000: 'The events after the cursor are no longer kept. The message says how to begin again.',
} as const;
