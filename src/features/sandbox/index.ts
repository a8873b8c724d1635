/**
 * The feature `sandboxes`, for `serve --sandboxes` and for a demo. Anybody can create a sandbox, so each mechanism
 * keeps one visitor from disturbing the others:
 * - sandbox-records.ts: gives each sandbox an exact quota of plants: the engine counts in each transaction.
 * - sandbox-caps.ts: limits the number of sandboxes, in all and for each address. This also limits all plants together.
 * - sandboxes.ts: an unused sandbox expires after an hour, so that it does not count towards the caps for longer.
 * - address.ts: all networks of a /48 network of IPv6 share budgets and turns, since one visitor usually has them all.
 * - budgets.ts: counts what waits in memory for clients, for each sandbox and address, before it takes the memory.
 * - rates.ts: limits how often an address may create or control sandboxes, since most of it writes to the disk.
 * - long-pages.ts, snapshots.ts and sweeper.ts: limit long work to a share of the time (util/fair-share.ts).
 * - cache.ts and batched-look-up.ts: a known token needs no query, and a flood of unknown tokens needs few queries.
 * - faults/: each kind of fault is one file of faults/kinds/. apply-faults.ts runs them for requests, and
 *   deliver-faults.ts for webhooks.
 * - record/: keeps the last requests of each sandbox, within one limit for all sandboxes.
 */
import { Problem, StartupError, StoreFailure } from '../../errors.ts';
import type { OpenFeature } from '../../feature.ts';
import { type Api, createApi } from '../../http/api.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Metric } from '../../observe/metrics.ts';
import type { Panel } from '../../page/site.ts';
import { readAsset } from '../../util/assets.ts';
import { type Html, html, lines } from '../../util/html.ts';
import { type Budgets, createBudgets, type Visitor } from './budgets.ts';
import { createFaults } from './faults/apply-faults.ts';
import { deliverFaults } from './faults/deliver-faults.ts';
import type { PageSwitch } from './faults/fault-kind.ts';
import { KINDS } from './faults/fault-kinds.generated.ts';
import { readFirstRules, reasonAgainstFirst } from './faults/first-rules.ts';
import { createRules } from './faults/rules.ts';
import { type Context, handlers, othersOf } from './handlers.ts';
import { createLongPages } from './long-pages.ts';
import type { SandboxConfig } from './options.ts';
import { limitAddresses } from './rates.ts';
import { createRecorder } from './record/recorder.ts';
import { exposedFields, operations } from './sandbox.generated.ts';
import { SANDBOX_TIMES, type SandboxContext, type SandboxTimes } from './sandbox.ts';
import { sandboxCredentialOf } from './sandbox-credential.ts';
import { type Sandbox, sandboxRecords } from './sandbox-records.ts';
import { createSandboxes, type Sandboxes } from './sandboxes.ts';
import { wrapSteps } from './steps.ts';
import { startSweeper } from './sweeper.ts';

/** How many sandboxes a demo may have if `--sandboxes` is not given. */
const DEMO_SANDBOXES = 100;

export function openSandboxes(own: SandboxConfig, times: SandboxTimes = SANDBOX_TIMES): OpenFeature {
  return async ({ config, engine, log, now, random }) => {
    const { plants } = engine;
    const records = sandboxRecords(engine.statements);
    const limits = { ...own, sandboxes: own.sandboxes ?? DEMO_SANDBOXES };
    const counts = { created: 0, refused: 0, expired: 0, faults: 0 };
    const context: SandboxContext = { records, plants, limits, times, now, log, counts };
    const sandboxes = createSandboxes(context, engine.cursorKey);
    const budgets = createBudgets(own.sandboxMemory);
    const rules = createRules(random);
    const faults = createFaults(rules, context, budgets);
    const recorder = createRecorder(now);
    const firstRules = readFirstRules(own.fault ?? []);
    const demoToken = config.demo ? config.token : undefined;
    if (demoToken !== undefined) await sandboxes.createDemo(demoToken, firstRules);

    return {
      apis: (composed) => [createSandboxApi({ sandboxes, recorder, rules, plants, operations: composed.operations })],
      steps: wrapSteps({
        recorder,
        limitAddress: limitAddresses(own, log),
        sandboxes,
        faults,
        readPages: createLongPages(records, budgets.memory),
        demoToken,
      }),
      observers: [recorder.end],
      page: { panel: createPanel(), ...(demoToken !== undefined && { token: demoToken }) },
      // A page of another origin can then read whether its preference was applied.
      exposedFields: [...exposedFields, 'Preference-Applied'],
      deliver: deliverFaults(sandboxes, rules, budgets),
      isValid: (own) => async (id) => (await own(id)) || isLive(sandboxes.find(id)),
      reserve: (own) => (exchange, bytes) => {
        const visitor = visitorOf(exchange, sandboxes);
        if (visitor === undefined) own(exchange, bytes);
        else budgets.memory.reserveUntilSent(visitor, bytes, exchange);
      },
      onOperations(operations) {
        const why = reasonAgainstFirst(firstRules, othersOf(operations));
        if (why !== undefined) throw new StartupError(`--fault: ${why}`);
      },
      metrics: metricsOf(context, budgets),
      close: startSweeper(context).close,
    };
  };
}

/** Whose budget a request uses; undefined for an operator. A stranger who asks for a sandbox has only an address. */
function visitorOf(exchange: Exchange, { hashAddress }: Sandboxes): Visitor | undefined {
  const { operation, connection, place, address } = exchange;
  if (operation?.id !== operations.createSandbox.id) return sandboxCredentialOf(exchange)?.sandbox;
  // No other request and no sandbox has this id.
  return { id: `${connection}/${place}`, address: hashAddress(address) };
}

async function isLive(found: Promise<Sandbox>): Promise<boolean> {
  try {
    await found;
    return true;
  } catch (error) {
    // In an outage nobody knows.
    if (error instanceof Problem && error.status === 401) return false;
    throw error;
  }
}

function createSandboxApi(parts: Omit<Context, 'sandbox' | 'client'>): Api {
  return createApi({
    operations,
    handlers,
    documents: {
      '/sandbox/openapi.json': 'features/sandbox/sandbox.served.json',
      '/sandbox/openapi.yaml': '../contract/sandbox.yaml',
    },
    contextOf: (exchange) => ({
      get sandbox(): Sandbox {
        const sandbox = sandboxCredentialOf(exchange)?.sandbox;
        if (sandbox === undefined) throw new Error(`${exchange.operation?.id} needs the token of a sandbox`);
        return sandbox;
      },
      ...parts,
      client: exchange,
    }),
  });
}

function createPanel(): Panel {
  const choosing = Object.entries(KINDS).flatMap(([kind, { choosesResponse }]) => (choosesResponse ? [kind] : []));
  return {
    html: readAsset('features/sandbox/page/panel.html')
      .toString()
      .replace('<!-- switches -->', switches().toString())
      .replace('CHOOSING', choosing.join(' ')),
    promise: ', and that fails in exactly the way you ask',
    hint: 'You need no token on this page: the first request that you send from it creates a sandbox for you.',
    scripts: {
      folder: 'features/sandbox/page',
      names: [
        'panel.js',
        'event-stream.js',
        'faults.js',
        'feed.js',
        'focus.js',
        'long-lists.js',
        'make.js',
        'outcome.js',
        'plants.js',
        'requests.js',
        'sandbox.js',
        'webhooks.js',
      ],
    },
    styles: ['features/sandbox/page/panel.css', 'features/sandbox/page/reference.css'],
  };
}

/** The first rule that matches a request applies, so the rules for some requests come before the rules for all. */
function switches(): Html {
  const hasMatch = ({ rule }: PageSwitch) => Number('match' in rule);
  const all = Object.values(KINDS).flatMap(({ pageSwitch }) => pageSwitch ?? []);
  all.sort((one, other) => hasMatch(other) - hasMatch(one) || one.label.localeCompare(other.label));
  return lines(
    all.map(
      ({ label, rule }) => html`<label><input type="checkbox" data-rule="${JSON.stringify(rule)}"> ${label}</label>`,
    ),
  );
}

function metricsOf({ records, counts, now }: SandboxContext, { waiting }: Budgets): readonly Metric[] {
  const metric = (last: string, help: string, read: Metric['read']) => ({ name: `sandboxes_${last}`, help, read });
  /** Undefined if the store cannot serve. The operator needs the other metrics most of all then. */
  const countLive = () =>
    records.countLive(now()).catch((error: unknown) => {
      if (!(error instanceof StoreFailure)) throw error;
      return undefined;
    });
  return [
    metric('live', 'Sandboxes that have not expired', countLive),
    metric('created_total', 'Sandboxes that this process created', () => counts.created),
    metric('refused_total', 'Sandboxes that this process refused, because there were too many', () => counts.refused),
    metric('expired_total', 'Expired or deleted sandboxes that this process removed', () => counts.expired),
    metric('faults_total', 'Requests that got a fault from their sandbox', () => counts.faults),
    metric('faults_waiting', 'Requests that a fault delays now', () => waiting.all),
  ];
}
