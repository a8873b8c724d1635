/** Delivers for one webhook: reads the messages after its position, sends them one after another, and moves it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IsValid } from '../../../auth/credential.ts';
import type { Logger } from '../../../observe/log.ts';
import type { StoreName } from '../../../plants/plant.ts';
import type { Feed } from '../feed.ts';
import type { Client } from '../slices.ts';
import { type Attempts, hasArrived } from './attempts.ts';
import { type Messages, type PlacedMessage, placeOf } from './messages.ts';
import { KEPT, type Progress, type StoredAttempt, type WebhookRecord, type WebhookRecords } from './records.ts';

/** Milliseconds. */
export interface WorkerTimes {
  /** The pause after the first failure, and the longest pause. */
  readonly firstPause: number;
  readonly lastPause: number;
  /** The shortest time between two saves. */
  readonly save: number;
}

export interface WorkerParts {
  readonly records: WebhookRecords;
  readonly messages: Messages;
  readonly feed: Pick<Feed, 'wait'>;
  readonly attempts: Attempts;
  /** How a webhook of a store reads events. */
  readonly clientOf: (store: StoreName) => Client;
  /** Whether a credential is still valid. */
  readonly isValid: IsValid;
  /** How long a webhook tries without success. */
  readonly retryFor: number;
  readonly times: WorkerTimes;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

export interface Worker {
  /** Of the webhook that it delivers for. */
  readonly revision: number;
  /** Resolves when it has ended: it was stopped, or the webhook was disabled, or another process holds it. */
  readonly ended: Promise<void>;
  /** Ends it immediately. What it has sent since its last save is then sent again. */
  stop(): void;
}

const GONE = 410;
/** The longest wait for an event, in milliseconds. Then the credential is checked. */
const WAIT_MS = 30_000;
/** Longer than a process needs to notice a token that another has made. */
const NEW_TOKEN_MS = 2_000;
/** The longest pause that a receiver can ask for. A longer pause comes from a clock that was set back. */
const LONGEST_PAUSE = 3_600_000;

/** `before`: resolves when the worker of the webhook's last revision has ended. `signal`: ends it immediately. */
export function startWorker(
  webhook: WebhookRecord,
  holder: string,
  before: Promise<void> | undefined,
  signal: AbortSignal,
  parts: WorkerParts,
): Worker {
  const { records, messages, feed, attempts, isValid, retryFor, times, now, random, log } = parts;
  const stopping = new AbortController();
  const either = AbortSignal.any([stopping.signal, signal]);
  let progress: Progress = webhook;
  let saved = progress;
  let savedAt = 0;
  let done: StoredAttempt[] = [];

  /** Saves the progress. Ends the worker if the webhook is disabled, or belongs to a client or another process now. */
  const save = async () => {
    if (done.length > 0) await records.addAttempts(webhook, done);
    done = [];
    if (!(await records.save(webhook, holder, progress)) || progress.disabled !== undefined) stopping.abort();
    saved = progress;
    savedAt = performance.now();
  };
  const disable = (disabled: string) => {
    progress = { ...progress, disabled, nextAt: undefined };
  };
  const isOver = () => either.aborted || progress.disabled !== undefined || progress.nextAt !== undefined;
  const isWanted = ({ type }: PlacedMessage) =>
    webhook.types.length === 0 || type === 'events.gap' || webhook.types.some((one) => one === type);

  /** Makes an attempt. Then the progress is after the message, or contains the time of the next attempt, or the end. */
  const send = async (message: PlacedMessage, next: PlacedMessage | undefined) => {
    const { outcome, last, all } = await attempts.make(webhook, message, next, either);
    if (either.aborted) return;
    // While the store cannot save them, their number stays bounded.
    done = [...done, ...all].slice(-KEPT);
    if (hasArrived(outcome)) {
      progress = { ...message.after, disabled: undefined, failures: 0, failingSince: undefined, nextAt: undefined };
      return;
    }
    const { failures, failingSince = last.at } = progress;
    if (outcome.status === GONE) return disable('The receiver answered 410.');
    if (now() - failingSince >= retryFor)
      return disable(`The receiver has failed since ${new Date(failingSince).toISOString()}.`);
    const pause = Math.min(times.lastPause, times.firstPause * 2 ** failures) * (1 / 2 + random() / 2);
    const nextAt = Math.round(now() + Math.max(pause, outcome.retryAfter ?? 0));
    progress = { ...progress, failures: failures + 1, failingSince, nextAt };
  };
  const rest = (milliseconds: number) =>
    sleep(Math.max(0, milliseconds), undefined, { signal: either }).catch(() => {});
  const hasToken = async () => (await isValid(webhook.credential)) && (webhook.endsAt ?? Infinity) > now();
  const deliverNext = async () => {
    if (!(await hasToken())) {
      // Another process may have just made the token.
      await rest(NEW_TOKEN_MS);
      if (either.aborted) return;
      if (!(await hasToken())) disable('Its token is no longer valid.');
    }
    // An earlier attempt to save this may have failed.
    if (progress.disabled !== undefined) return await save();
    const found = await messages.after(webhook.store, progress, parts.clientOf(webhook.store));
    for (const [i, message] of found.entries()) {
      if (isWanted(message)) await send(message, found.slice(i + 1).find(isWanted));
      else progress = { ...progress, ...message.after };
      if (isOver() || !(await hasToken())) break;
      if (performance.now() - savedAt >= times.save) await save();
    }
    if (progress !== saved) await save();
    if (found.length === 0) await feed.wait(placeOf(webhook.store, progress), WAIT_MS, either);
  };
  const run = async () => {
    await before;
    let isFailing = false;
    while (!either.aborted) {
      try {
        await rest(Math.min(LONGEST_PAUSE, (progress.nextAt ?? 0) - now()));
        await deliverNext();
        isFailing = false;
      } catch (error) {
        if (either.aborted) return;
        if (!isFailing)
          log.warn({ err: error, webhook: webhook.id }, 'a webhook waits, since the store cannot serve now');
        isFailing = true;
        await rest(times.firstPause);
      }
    }
  };
  return { revision: webhook.revision, ended: run(), stop: () => stopping.abort() };
}
