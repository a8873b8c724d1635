/** `plantstore serve`: starts the service, prints the greeting, and closes the service when told to stop. */

import { openParent, sendToParent } from '../../lab/defects/grader-channel.ts';
import type { ServeConfig } from '../config.ts';
import { loadFeatures } from '../features/index.ts';
import { authority } from '../http/connections/listener.ts';
import { openLogger } from '../observe/log.ts';
import { startService } from '../service.ts';
import { suggest } from '../util/nearest.ts';
import { command, UsageError } from './command-line.ts';
import { greeting } from './greeting.ts';
import { serveOptions } from './options.ts';
import { print } from './output.ts';

export const serve = command({
  name: 'serve',
  summary: 'Runs the service',
  options: serveOptions,
  /** Runs until the process is told to stop, or until the store can no longer be trusted. */
  async run(given, stdio) {
    const parent = await openParent(stdio.env);
    const stopped = Promise.race([stdio.stopped(), ...(parent === undefined ? [] : [parent.ended])]);
    requirePairs(given);
    if (given.defect !== undefined) await requireDefect(given.defect, given);
    if (given.defect !== undefined && given.mystery !== undefined) {
      throw new UsageError('--mystery cannot be given with --defect');
    }
    const demo = given.demo ? (await import('../features/demo/index.ts')).DEMO : undefined;
    const isTerminal = 'isTTY' in stdio.stderr && stdio.stderr.isTTY === true;
    const planted = parent && { defect: parent.defect ?? 'none', variants: parent.variants };
    const config = { ...given, accessLog: given.accessLog ?? (given.demo || isTerminal), ...demo, ...planted };
    const log = await openLogger(config.logLevel, stdio.stderr);
    const broken = Promise.withResolvers<void>();
    let isBroken = false;
    let isOpen = false;
    // Until the database is open, a stop ends the process immediately, even while PostgreSQL hangs.
    void stopped.then(() => isOpen || stdio.exit(0));
    try {
      const service = await startService(config, {
        log,
        now: Date.now,
        random: Math.random,
        features: await loadFeatures(config),
        onOpen() {
          isOpen = true;
        },
        onBroken(cause) {
          isBroken = true;
          log.fatal({ err: cause }, 'the store failed: stopping, so that only stored writes are confirmed');
          broken.resolve();
        },
      });
      const { url, address, admin, engine } = service;
      // A failed write is ignored: a service can serve without a reader of its greeting.
      print(stdio.stdout, greeting(service, config, stdio.env)).catch(() => undefined);
      sendToParent({ url });
      const adminUrl = admin && { admin: `http://${authority(admin.address, admin.port)}` };
      const listening = config.baseUrl && { listening: authority(address.address, address.port) };
      log.info({ url, ...listening, database: engine.location, ...adminUrl }, 'started');
      await Promise.race([stopped, broken.promise]);
      await service.close();
      log.info({}, 'stopped');
    } finally {
      // Returning would close the files of the store, which syncs them once more after a failed sync.
      if (isBroken) stdio.exit(1);
    }
    return 0;
  },
});

/** Suggests the nearest name for an unknown defect. */
async function requireDefect(name: string, { demo, events, sandboxes }: ServeConfig): Promise<void> {
  const { CONTROL, DEFECTS, eventDefectsOf, SANDBOX_DEFECTS } = await import('../../lab/defects/index.ts');
  if (name === CONTROL || DEFECTS.some((defect) => defect.name === name)) return;
  const others = [
    { defects: SANDBOX_DEFECTS, option: '--sandboxes', isThere: demo || sandboxes !== undefined },
    { defects: eventDefectsOf(), option: '--events', isThere: demo || events },
  ];
  const found = others.find(({ defects }) => defects.some((defect) => defect.name === name));
  if (found?.isThere) return;
  if (found !== undefined) throw new UsageError(`--defect ${name} needs ${found.option} or --demo`);
  const names = [...DEFECTS, ...others.flatMap(({ defects }) => defects)].map((defect) => defect.name);
  throw new UsageError(`--defect: there is no such defect${suggest(name, names)}; plantstore defects lists them`);
}

/** Refuses an option without the option that it needs. */
function requirePairs({ tlsCert, tlsKey, jwtIssuer, jwtAudience, jwksUrl, defect, variants }: ServeConfig): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError('--tls-cert and --tls-key go together');
  if (variants !== undefined && defect === undefined) throw new UsageError('--variants needs --defect');
  const isJwt = jwtIssuer !== undefined && jwtAudience !== undefined;
  if (!isJwt && (jwtIssuer ?? jwtAudience ?? jwksUrl) !== undefined) {
    throw new UsageError('--jwt-issuer and --jwt-audience need each other, and --jwks-url needs both');
  }
}
