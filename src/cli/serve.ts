/** `plantstore serve`: starts the service, says where it is, and closes it when it is told to stop. */
import type { ServeConfig } from '../config.ts';
import { loadFeatures } from '../features.ts';
import { authority } from '../http/listener.ts';
import { nearest } from '../nearest.ts';
import { openLogger } from '../observe/log.ts';
import { sendToParent } from '../parent.ts';
import { startService } from '../service.ts';
import { command, UsageError } from './command-line.ts';
import { greeting } from './greeting.ts';
import { serveOptions } from './options.ts';

export const serve = command({
  name: 'serve',
  summary: 'Runs the service',
  options: serveOptions,
  /** Until it is told to stop, or its store can no longer be trusted. */
  async run(given, stdio) {
    const stopped = stdio.stopped();
    requirePairs(given);
    if (given.defect !== undefined) await requireDefect(given.defect);
    const demo = given.demo ? (await import('../demo/index.ts')).DEMO : undefined;
    const isTerminal = 'isTTY' in stdio.stderr && stdio.stderr.isTTY === true;
    const config = { ...given, accessLog: given.accessLog ?? (given.demo || isTerminal), ...demo };
    const log = await openLogger(config.logLevel, stdio.stderr);
    const broken = Promise.withResolvers<void>();
    let isBroken = false;
    let isOpen = false;
    // Until the database is open there is nothing to finish: a stop ends the process at once, also while PostgreSQL hangs.
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
          log.fatal({ err: cause }, 'the store failed: stopping, so that no write is confirmed without being stored');
          broken.resolve();
        },
      });
      const { url, admin, engine } = service;
      // Whether it could be written is not checked: a service whose greeting has no reader can still serve.
      stdio.stdout.write(greeting(service, config, stdio.env));
      sendToParent({ url });
      const adminUrl = admin && { admin: `http://${authority(admin.address, admin.port)}` };
      log.info({ url, database: engine.location, ...adminUrl }, 'started');
      await Promise.race([stopped, broken.promise]);
      await service.close();
      log.info({}, 'stopped');
    } finally {
      // Not by returning: at its normal end the process would close the store's files, which syncs them once more.
      if (isBroken) stdio.exit(1);
    }
    return 0;
  },
});

/** The code of the defects is loaded only for a service with a defect. */
async function requireDefect(name: string): Promise<void> {
  const { CONTROL, DEFECTS } = await import('../defects/index.ts');
  if (name === CONTROL || DEFECTS.some((defect) => defect.name === name)) return;
  const meant = nearest(
    name,
    DEFECTS.map((defect) => defect.name),
  );
  const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  throw new UsageError(`--defect: there is no such defect${guess}; plantstore defects lists them`);
}

/** Options of which one says nothing without the other. */
function requirePairs({ tlsCert, tlsKey, jwtIssuer, jwtAudience, jwksUrl }: ServeConfig): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError('--tls-cert and --tls-key go together');
  const isJwt = jwtIssuer !== undefined && jwtAudience !== undefined;
  if (!isJwt && (jwtIssuer ?? jwtAudience ?? jwksUrl) !== undefined) {
    throw new UsageError('--jwt-issuer and --jwt-audience go together, and --jwks-url with both');
  }
}
