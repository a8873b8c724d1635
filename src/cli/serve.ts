/** `plantstore serve`: starts the service, prints the greeting, and closes the service when told to stop. */
import type { ServeConfig } from '../config.ts';
import type { FeatureEntry } from '../features/entry.ts';
import { type FeatureOptions, type FullConfig, loadFeatures } from '../features/index.ts';
import { authority } from '../http/connections/listener.ts';
import { openLogger } from '../observe/log.ts';
import { startService } from '../service.ts';
import { refuseDuplicates } from '../util/refuse-duplicates.ts';
import { type Command, command, UsageError } from './command-line.ts';
import { greeting } from './greeting.ts';
import { serveOptions } from './options.ts';
import { isTerminal, print } from './output.ts';

/** The options of `serve` with these features, which include those of the service. */
export function serveOptionsWith(features: readonly FeatureEntry[]): typeof serveOptions & FeatureOptions {
  const tables = [serveOptions, ...features.map(({ options = {} }) => options)];
  refuseDuplicates('options', tables.flatMap(Object.keys));
  return Object.assign({}, ...tables);
}

export const serveWith = (features: readonly FeatureEntry[]): Command =>
  command({
    name: 'serve',
    summary: 'Runs the service',
    options: serveOptionsWith(features),
    /** Runs until the process is told to stop, or until the store can no longer be trusted. */
    async run(given, stdio) {
      await refuseContradictions(given, features);
      const prepared = (await Promise.all(features.map((entry) => entry.prepare?.(given, stdio)))).filter(
        (preparation) => preparation !== undefined,
      );
      const stopped = Promise.race([stdio.stopped(), ...prepared.flatMap(({ ended }) => ended ?? [])]);
      const accessLog = given.accessLog ?? (given.demo || isTerminal(stdio.stderr));
      const config: FullConfig = Object.assign({}, given, { accessLog }, ...prepared.map(({ config }) => config));
      const log = await openLogger(
        config.logLevel,
        stdio.stderr,
        features.flatMap(({ polled }) => polled ?? []),
        // A client may put its token where a path belongs. The token of a demo is not secret.
        given.token,
      );
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
          features: await loadFeatures(config, features),
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
        print(stdio.stdout, greeting(service, config, prepared, stdio.env)).catch(() => undefined);
        for (const preparation of prepared) preparation.onReady?.(url);
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

/** Rejects with a UsageError if options contradict each other, or if one lacks the option that it needs. */
export async function refuseContradictions(given: FullConfig, features: readonly FeatureEntry[]): Promise<void> {
  requirePairs(given);
  await Promise.all(features.map((entry) => entry.check?.(given)));
}

function requirePairs({ tlsCert, tlsKey, jwtIssuer, jwtAudience, jwksUrl }: ServeConfig): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key need each other');
  const isJwt = jwtIssuer !== undefined && jwtAudience !== undefined;
  if (!isJwt && (jwtIssuer ?? jwtAudience ?? jwksUrl) !== undefined) {
    throw new UsageError('--jwt-issuer and --jwt-audience need each other, and --jwks-url needs both');
  }
}
