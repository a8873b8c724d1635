/** The metrics of the service. This file is loaded only if there is an admin listener. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A metric without labels, which a part of the service adds. Every scrape reads its value. */
export interface Metric {
  /** Without the prefix `plantstore_`. A metric is a counter if its name ends in `_total`, and otherwise a gauge. */
  readonly name: string;
  readonly help: string;
  /** Undefined: the value is unknown now, so the response lacks the metric. */
  readonly read: () => number | undefined | Promise<number | undefined>;
}

export interface Metrics {
  /**
   * Creates the counters of failures at 0. If the first value were 1, Prometheus would see no increase, and an alert
   * would miss the first failure.
   */
  expect(operations: readonly string[], reasons: readonly string[]): void;
  /** `operation`: an operationId, or the label for requests that match no operation. */
  responded(operation: string, status: number, seconds: number): void;
  credential(outcome: string): void;
  storeError(reason: string): void;
  committed(writes: number, seconds: number): void;
  add(metric: Metric): void;
  readonly contentType: string;
  /** All metrics, in Prometheus's text format. */
  text(): Promise<string>;
}

const PREFIX = 'plantstore_';
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BATCH_WRITES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name: PREFIX + name, help, buckets, labelNames, registers });
  const requests = counter('requests_total', 'Responses, by operation and HTTP status', 'operation', 'status');
  const latency = histogram(
    'request_duration_seconds',
    'Time from the end of the request head to the response, by operation',
    REQUEST_SECONDS,
    'operation',
  );
  const credentials = counter('credentials_total', 'Credentials checked, by outcome', 'outcome');
  const storeErrors = counter('store_errors_total', 'Requests that the store could not serve, by reason', 'reason');
  const batches = histogram('commit_batch_writes', 'Writes that shared one commit', BATCH_WRITES);
  const commits = histogram('commit_duration_seconds', 'Time of a group commit, including its sync', COMMIT_SECONDS);
  return {
    expect(operations, reasons) {
      for (const operation of operations) requests.inc({ operation, status: 500 }, 0);
      for (const reason of reasons) storeErrors.inc({ reason }, 0);
    },
    responded(operation, status, seconds) {
      requests.inc({ operation, status });
      latency.observe({ operation }, seconds);
    },
    credential: (outcome) => credentials.inc({ outcome }),
    storeError: (reason) => storeErrors.inc({ reason }),
    committed(writes, seconds) {
      batches.observe(writes);
      commits.observe(seconds);
    },
    add({ name, help, read }) {
      const options = { name: PREFIX + name, help, registers };
      // After `remove`, `inc` counts from 0, so it sets the value of a gauge and of a counter.
      const collect = async function (this: Gauge | Counter) {
        const value = await read();
        this.remove();
        if (value !== undefined) this.inc(value);
      };
      if (name.endsWith('_total')) new Counter({ ...options, collect });
      else new Gauge({ ...options, collect });
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
