/** The metrics, in Prometheus's text format. Loaded only with the admin listener. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

interface SandboxCounts {
  readonly counts: { readonly created: number; readonly refused: number; readonly expired: number };
  live(): Promise<number>;
  waiting(): number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BATCH_WRITES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export function createMetrics() {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const requests = counter(
    'plantstore_requests_total',
    'Responses, by operation and HTTP status',
    'operation',
    'status',
  );
  const latency = histogram(
    'plantstore_request_duration_seconds',
    'Time from the whole head of a request to its response, by operation',
    REQUEST_SECONDS,
    'operation',
  );
  const credentials = counter('plantstore_credentials_total', 'Credentials checked, by outcome', 'outcome');
  const storeErrors = counter(
    'plantstore_store_errors_total',
    'Requests that the store could not serve, by reason',
    'reason',
  );
  const batches = histogram('plantstore_commit_batch_writes', 'Writes that shared one commit', BATCH_WRITES);
  const commits = histogram(
    'plantstore_commit_duration_seconds',
    'Time of a group commit, its sync to stable storage included',
    COMMIT_SECONDS,
  );
  return {
    /**
     * Creates the counters of failures at 0: Prometheus sees no increase where a counter's first value is 1, and an alert
     * would miss the first failure.
     */
    expect(operations: readonly string[], reasons: readonly string[]) {
      for (const operation of operations) requests.inc({ operation, status: 500 }, 0);
      for (const reason of reasons) storeErrors.inc({ reason }, 0);
    },
    /** `operation`: an operationId, or what else the path is. */
    responded(operation: string, status: number, seconds: number) {
      requests.inc({ operation, status });
      latency.observe({ operation }, seconds);
    },
    credential: (outcome: string) => credentials.inc({ outcome }),
    storeError: (reason: string) => storeErrors.inc({ reason }),
    committed(writes: number, seconds: number) {
      batches.observe(writes);
      commits.observe(seconds);
    },
    /** `length` is called at every scrape. */
    queue(length: () => number) {
      new Gauge({
        name: 'plantstore_commit_queue_writes',
        help: 'Writes that wait for their commit or are being committed',
        registers,
        collect() {
          this.set(length());
        },
      });
    },
    /** Counts of this process, and how many there are in the store. */
    sandboxes({ counts, live, waiting }: SandboxCounts) {
      const name = (last: string) => `plantstore_sandboxes_${last}`;
      const gauge = (last: string, help: string, read: () => number | Promise<number>) =>
        new Gauge({
          name: name(last),
          help,
          registers,
          async collect() {
            this.set(await read());
          },
        });
      const total = (last: keyof SandboxCounts['counts'], help: string) =>
        new Counter({
          name: name(`${last}_total`),
          help,
          registers,
          collect() {
            this.reset();
            this.inc(counts[last]);
          },
        });
      gauge('live', 'Sandboxes that have not expired', live);
      total('created', 'Sandboxes made by this process');
      total('refused', 'Sandboxes refused by this process, since there were too many');
      total('expired', 'Expired or deleted sandboxes removed by this process');
      gauge('faults_waiting', 'Requests that a fault delays now', waiting);
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
