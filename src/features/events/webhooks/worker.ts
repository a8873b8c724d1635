/** Delivers for one webhook: reads the messages after its position, sends them one after another, and moves it. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Rest } from '../../../util/fair-slots.ts';
import type { Place } from '../feed.ts';
import { type Attempts, hasArrived } from './attempts.ts';
import type { WebhookContext } from './context.ts';
import { type PlacedMessage, placeOf, readMessages } from './messages.ts';
import { KEPT, type Progress, type StoredAttempt, type WebhookRecord } from './records.ts';

export interface Worker {
  readonly revision: number;
  /**
   * Resolves when it has ended: it was stopped, or the webhook was disabled, changed or taken. Resolves to true if it
   * was changed or taken.
   */
  readonly ended: Promise<boolean>;
  /** Ends its attempt. What has arrived since its last save is saved, unless the webhook was changed or taken. */
  stop(): void;
}

const GONE = 410;
/** The longest wait for an event, in milliseconds. Then the credential is checked. Webhooks do not wake together. */
const WAIT_MS = 30_000;
/** Longer than a process needs to notice a new token of another process. */
const NEW_TOKEN_MS = 2_000;
/** The longest pause that a receiver can ask for. A longer pause comes from a clock that was set back. */
const LONGEST_PAUSE = 3_600_000;

/** `before`: resolves when the worker of the webhook's last revision has ended. */
export function startWorker(
  webhook: WebhookRecord,
  before: Promise<unknown> | undefined,
  context: WebhookContext,
  attempts: Attempts,
): Worker {
  const { options, times, records, feed, clientOf, isValid, now, random, log } = context;
  const { store, types } = webhook;
  const stopping = new AbortController();
  const { signal } = stopping;
  const client = clientOf(store);
  const attempt = attempts.of(webhook);
  let progress: Progress = webhook;
  let saved = progress;
  let savedAt = 0;
  let done: readonly StoredAttempt[] = [];
  let isLost = false;

  /** Ends the worker if the webhook is disabled, or was changed or taken. */
  const save = async () => {
    if (progress === saved) return;
    isLost = !(await records.save(webhook, progress, done));
    if (isLost || progress.reason !== undefined) stopping.abort();
    done = [];
    saved = progress;
    savedAt = performance.now();
  };
  const untilSave = () => Math.max(0, times.save - (performance.now() - savedAt));
  const disable = (reason: string) => {
    const { nextAt: _, ...rest } = progress;
    progress = { ...rest, reason };
  };
  /** Whether no message may follow now. */
  const isOver = () => signal.aborted || progress.reason !== undefined || progress.nextAt !== undefined;
  const isWanted = ({ type }: PlacedMessage) =>
    types.length === 0 || type === 'events.gap' || types.some((one) => one === type);

  /** Makes an attempt. Then the progress is after the message, or contains the time of the next attempt, or the end. */
  const send = async (message: PlacedMessage, next: PlacedMessage | undefined, restInTurn: Rest) => {
    const { outcome, last, all } = await attempt(message, next, restInTurn, signal);
    // The worker has ended the attempt. The receiver may have responded before.
    if (signal.aborted && !hasArrived(outcome)) return;
    // While the store cannot save them, their number stays bounded.
    done = [...done, ...all].slice(-KEPT);
    if (hasArrived(outcome)) {
      progress = { ...message.after, failures: 0 };
      return;
    }
    if (outcome.status === GONE) return disable('The receiver answered 410.');
    const { failures, nextAt: planned = last.at } = progress;
    // The service was stopped, or its machine slept. The receiver could not succeed, so this time does not count.
    const missed = Math.max(0, last.at - planned) + Math.max(0, now() - last.at - times.attempt);
    const failingSince = (progress.failingSince ?? last.at) + missed;
    if (now() - failingSince >= options.webhookRetryFor)
      return disable(`The receiver has failed since ${new Date(failingSince).toISOString()}.`);
    const pause = Math.min(times.lastPause, times.firstPause * 2 ** failures) * (1 / 2 + random() / 2);
    const nextAt = Math.round(now() + Math.max(pause, outcome.retryAfter ?? 0));
    progress = { ...progress, failures: failures + 1, failingSince, nextAt };
  };
  const rest = (milliseconds: number) => sleep(Math.max(0, milliseconds), undefined, { signal }).catch(() => {});
  const hasToken = async () => (await isValid(webhook.credential)) && (webhook.endsAt ?? Infinity) > now();
  /**
   * A visitor's store is removed with its webhooks soon after it has ended. A store that stays belongs to a feature
   * that is off, and that may be on after the next start.
   */
  const waitForRemoval = async () => {
    await rest(WAIT_MS);
    if ((await records.find(store, webhook.id)) === undefined) stopping.abort();
  };
  const deliverNext = async () => {
    if (!(await hasToken())) {
      // Another process may have created the token just now.
      await rest(NEW_TOKEN_MS);
      if (signal.aborted) return;
      if (!(await hasToken())) {
        if (client.isPublic) return await waitForRemoval();
        disable('Its token is no longer valid.');
      }
    }
    // An earlier attempt to save this may have failed.
    if (progress.reason !== undefined) return await save();
    const place = placeOf(store, progress);
    const { mayHaveMore } = await attempts.inTurn(webhook, (restInTurn) => sendSome(place, restInTurn), signal);
    const mustSave = progress !== saved && (isOver() || untilSave() === 0);
    if (mustSave || !(await mayHaveMore)) await save();
  };
  /**
   * Sends messages until the next save. Reads them in its turn, so webhooks that wait for theirs hold no messages.
   * `mayHaveMore`: whether another message comes before the next save. The turn does not wait for that.
   */
  const sendSome = async (
    place: Place,
    restInTurn: Rest,
  ): Promise<{ readonly mayHaveMore: Promise<boolean> | boolean }> => {
    if (signal.aborted) return { mayHaveMore: false };
    const { messages, end } = await readMessages(feed, place, client);
    const pause = messages.length > 0 || progress !== saved ? untilSave() : WAIT_MS * (1 - random() / 2);
    // The wait begins before the messages are sent, so that it also notices a message that comes meanwhile.
    const mayHaveMore = end === undefined || feed.wait(end, pause, signal);
    for (const [i, message] of messages.entries()) {
      // The token may have ended while the messages were read.
      if (!(await hasToken())) break;
      if (isWanted(message)) await send(message, messages.slice(i + 1).find(isWanted), restInTurn);
      else progress = { ...progress, ...message.after };
      if (isOver() || untilSave() === 0) break;
    }
    return { mayHaveMore };
  };
  const run = async () => {
    await before;
    let isFailing = false;
    while (!signal.aborted) {
      try {
        // Other work comes between two reads, also while a receiver is an inbox, which never waits.
        await (progress.nextAt === undefined ? nextTurn() : rest(Math.min(LONGEST_PAUSE, progress.nextAt - now())));
        if (!signal.aborted) await deliverNext();
        isFailing = false;
      } catch (error) {
        if (signal.aborted) break;
        if (!isFailing)
          log.warn({ err: error, webhook: webhook.id }, 'a webhook waits, since the store cannot serve now');
        isFailing = true;
        await rest(times.firstPause);
      }
    }
    // If this fails, the message is sent again.
    await save().catch(() => {});
    return isLost;
  };
  return { revision: webhook.revision, ended: run(), stop: () => stopping.abort() };
}
