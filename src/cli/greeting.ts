/** What `plantstore serve` prints once it is ready: where everything is, and lines to paste that store a plant. */
import { existsSync } from 'node:fs';
import { isLoopback } from '../auth/secure-url.ts';
import type { ServeConfig } from '../config.ts';
import type { Service } from '../service.ts';
import type { Environment } from './command-line.ts';
import { serveOptions } from './options.ts';

const PLANT = '{"id": 12, "name": "Aloe vera", "tag": "succulent"}';

export function greeting(service: Service, config: ServeConfig, env: Environment): string {
  const { url, engine } = service;
  const places = [
    ...(config.noDocs ? [] : [`  Page: ${url}/`]),
    `  Description: ${url}/openapi.json`,
    `  Data: ${engine.location}`,
    ...(config.sandboxes === undefined ? [] : [`  Sandboxes: POST ${url}/sandboxes makes one, without a token`]),
  ];
  const parts = [`  Plant Store is ready at ${url}`, places.join('\n'), ...warnings(config)];
  return `\n${[...parts, ...firstSteps(service, config, env)].join('\n\n')}\n\n`;
}

function warnings({ baseUrl, defect, demo, host }: ServeConfig): string[] {
  const planted =
    defect === undefined || defect === 'none' ? [] : [`  It is wrong on purpose: the defect ${defect} is planted.`];
  if (isLoopback(host)) return planted;
  return [
    ...planted,
    ...(demo ? ['  Everybody who can reach this address can change the data: the token of a demo is no secret.'] : []),
    ...(baseUrl === undefined
      ? ['  --base-url is not set, so the description names no full address: set it to what clients use.']
      : []),
  ];
}

/** How to come by a token, and the first request. */
function firstSteps({ url, engine, firstToken }: Service, config: ServeConfig, env: Environment): string[] {
  // To zsh the brackets of an IPv6 address are a pattern, and a path may hold what every shell reads as its own.
  const request = (credential: string) =>
    `curl ${quoted(`${url}/plants`)} -H ${credential} -H 'Content-Type: application/json' -d '${PLANT}'`;
  if (config.demo) {
    const token = `  The token is ${config.token}, which the page has filled in. Store a plant:`;
    return [token, request(`'Authorization: Bearer ${config.token}'`)];
  }
  if (config.token !== undefined) {
    return [
      '  The token is that of PLANTSTORE_TOKEN. Store a plant:',
      request('"Authorization: Bearer $PLANTSTORE_TOKEN"'),
    ];
  }
  if (firstToken !== undefined) {
    const token = `  Your token, shown only this once: ${firstToken}`;
    return [token, '  Store a first plant:', request(`'Authorization: Bearer ${firstToken}'`)];
  }
  // The service looks for new tokens more often than once a second.
  const token = `TOKEN=$(${program(env)} token create${databaseOption(config, engine.location)}) && sleep 1`;
  return [
    '  The tokens made before are valid. To make another, and store a plant with it:',
    `${token}\n${request('"Authorization: Bearer $TOKEN"')}`,
  ];
}

/** For a command line on the same data. A URL is not shown: it may hold a password. */
function databaseOption({ database }: ServeConfig, location: string): string {
  if (database === serveOptions.database.default) return '';
  return ` --database ${database.startsWith('sqlite:') ? quoted(`sqlite:${location}`) : "'postgres://…'"}`;
}

/** How the user calls the command line here. */
function program(env: Environment): string {
  if (env['npm_command'] === 'exec') return 'npx plant-store';
  return existsSync('bin/plantstore') ? 'bin/plantstore' : 'plantstore';
}

/** As one word of any shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
