/** The greeting of `plantstore serve`: addresses, warnings, and a command to paste that stores a plant. */
import { isLoopback } from '../auth/secure-url.ts';
import type { ServeConfig } from '../config.ts';
import type { Preparation } from '../features/entry.ts';
import { authority } from '../http/connections/listener.ts';
import type { Service } from '../service.ts';
import { printable } from '../util/printable.ts';
import { type Environment, program, quote } from './command-line.ts';
import { serveOptions } from './options.ts';

const PLANT = '{"id": 12, "name": "Aloe vera", "tag": "succulent"}';

export function greeting(
  service: Service,
  config: ServeConfig,
  prepared: readonly Preparation[],
  env: Environment,
): string {
  const { url, address, engine } = service;
  const places = [
    ...(config.noDocs ? [] : [`  Page: ${url}/`]),
    `  OpenAPI: ${url}/openapi.json`,
    // Clients use another address, for example a proxy's.
    ...(config.baseUrl ? [`  Listening on: ${authority(address.address, address.port)}`] : []),
    `  Data: ${printable(engine.location)}`,
    ...prepared.flatMap((preparation) => preparation.places?.(url) ?? []),
  ];
  const parts = [`  Plant Store is ready at ${url}`, places.join('\n'), ...warnings(config, prepared, env)];
  return `\n${[...parts, ...firstSteps(service, config, env)].join('\n\n')}\n\n`;
}

function warnings({ baseUrl, demo, host }: ServeConfig, prepared: readonly Preparation[], env: Environment): string[] {
  const always = prepared.flatMap((preparation) => preparation.warnings?.(program(env)) ?? []);
  if (isLoopback(host)) {
    const pages =
      '  Every web page that is open in your browser can read and change this demo. Put nothing of value into it.';
    return demo ? [...always, pages] : always;
  }
  return [
    ...always,
    ...(demo ? ['  The token of a demo is public: everyone who can reach this address can change the data.'] : []),
    ...(baseUrl === undefined
      ? ['  --base-url is not set, so the description has no full address. Set it to the URL that clients use.']
      : []),
  ];
}

/** Explains which token to use, with a first request. */
function firstSteps({ url, engine, firstToken }: Service, config: ServeConfig, env: Environment): string[] {
  // Quoted, since zsh reads the brackets of an IPv6 address as a pattern, and the path may contain shell syntax.
  const request = (credential: string) =>
    `curl ${quote(`${url}/plants`)} -H ${credential} -H 'Content-Type: application/json' -d '${PLANT}'`;
  if (config.demo) {
    const token = `  The token is ${config.token}. The page already uses it. Store a plant:`;
    return [
      token,
      request(`'Authorization: Bearer ${config.token}'`),
      `  This demo is a sandbox: it can fail, stall and lose responses when you say so (${url}/guide/sandboxes).`,
    ];
  }
  if (config.token !== undefined) {
    return [
      '  Your token is in PLANTSTORE_TOKEN. Store a plant:',
      request('"Authorization: Bearer $PLANTSTORE_TOKEN"'),
    ];
  }
  if (firstToken !== undefined) {
    const token = `  Your token, shown only this once: ${firstToken}`;
    return [token, '  Store a first plant:', request(`'Authorization: Bearer ${firstToken}'`)];
  }
  const token = `TOKEN=$(${program(env)} token create${databaseOption(config, engine.location)}) && sleep 1`;
  return [
    '  Your existing tokens still work. Lost yours? Create a new one, which works within a second, and store a plant:',
    `${token}\n${request('"Authorization: Bearer $TOKEN"')}`,
  ];
}

/** The option that chooses the same database. The URL of PostgreSQL is not shown, since it may contain a password. */
function databaseOption({ database }: ServeConfig, location: string): string {
  if (database === serveOptions.database.default) return '';
  return ` --database ${database.startsWith('sqlite:') ? quote(`sqlite:${location}`) : "'postgres://…'"}`;
}
