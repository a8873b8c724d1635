/** `plantstore serve`: starts the service, says where it is, and closes it when it is told to stop. */
import type { Alterations } from '../alterations.ts';
import type { ServeConfig } from '../config.ts';
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
    const alterations = given.defect === undefined ? undefined : await readDefect(given.defect);
    const isTerminal = 'isTTY' in stdio.stderr && stdio.stderr.isTTY === true;
    const config = { ...given, accessLog: given.accessLog ?? (given.demo || isTerminal), ...(given.demo && DEMO) };
    const log = await openLogger(config.logLevel, stdio.stderr);
    if (alterations !== undefined) log.warn({ defect: given.defect }, 'a defect is planted: this service is not right');
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
        alterations,
        async onOpen({ plants }) {
          isOpen = true;
          if (given.demo) await plants.createMany('default', await readGarden());
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

/** `--demo` replaces these options. Its token is no secret: the documentation page fills it in. */
const DEMO = { database: 'temporary', token: 'demo' } as const;

/** Loads the garden only for a demo. */
async function readGarden() {
  const garden = await import('../plants/garden.ts');
  return garden.readGarden();
}

/** Loaded only where one is asked for. */
async function readDefect(name: string): Promise<Alterations> {
  const { DEFECTS, plantDefect } = await import('../defects/index.ts');
  const planted = plantDefect(name);
  if (planted !== undefined) return planted;
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
