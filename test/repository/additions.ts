/** One addition of each kind: the new files, and the changes of existing files, by their paths. */

export type Addition = Readonly<Record<string, string | readonly (readonly [before: string, after: string])[]>>;

const REFUSED = ['400', '500', '503'];

/** An operation whose response is text. */
export const operation: Addition = {
  'contract/openapi.yaml': [
    [
      '\ncomponents:\n',
      `
  /labels:
    get:
      operationId: printLabels
      tags: [plants]
      summary: Print labels
      description: Returns the names of the first plants, ascending by id, one on each line.
      security:
        - bearerAuth: ["plants:read"]
      parameters:
        - name: limit
          in: query
          description: The maximum number of names.
          schema: { type: integer, format: int32, minimum: 1, maximum: 1000, default: 100 }
          example: 100
      responses:
        "200":
          description: The names.
          headers:
            Label-Width: { schema: { type: string } }
            X-Request-Id: { $ref: "#/components/headers/RequestId" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimitPolicy" }
          content:
            text/plain: { schema: { type: string }, example: Aloe vera }
        "400": { $ref: "#/components/responses/ListRefused" }
        "401": { $ref: "#/components/responses/Unauthenticated" }
        "403": { $ref: "#/components/responses/Forbidden" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "500": { $ref: "#/components/responses/InternalError" }
        "503": { $ref: "#/components/responses/Unavailable" }
components:
`,
    ],
  ],
  'src/operations/print-labels.ts': `/** printLabels: returns the names of the first plants as text. */
import type { PlantHandler } from './context.ts';

export const printLabels: PlantHandler<'printLabels'> = async ({ parameters }, { store, plants }) => {
  const found = await plants.list(store, { limit: parameters.limit });
  const text = found.map(({ name }) => \`\${name}\\n\`).join('');
  return { status: 200, type: 'text/plain', headers: { 'Label-Width': '20' }, body: text };
};
`,
};

/** An option of every \`serve\`. */
export const option: Addition = {
  'src/config.ts': [
    [
      'export interface ServeConfig {\n',
      'export interface ServeConfig {\n  /** What the service says. */\n  readonly motto: string;\n',
    ],
  ],
  'src/cli/options.ts': [
    ['  logLevel:', "  motto: withDefault(text, 'TEXT', 'Grow', 'What the service says.'),\n  logLevel:"],
  ],
};

const errorOf = (code: string) => `        "${code}": { $ref: "#/components/responses/Refused" }\n`;

/** Two Apis. The folder of the first is the folder of a feature, and the second is inside it and has a webhook. */
export const api: Addition = {
  'contract/flood.yaml': `openapi: 3.1.0
info:
  title: Floods
  version: 1.0.0
servers:
  - url: "{base_url}"
    variables:
      base_url:
        default: http://127.0.0.1:8080
paths: {}
webhooks:
  flood.warning:
    post:
      operationId: floodWarning
      summary: A flood is coming
      security: []
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [type, id]
              properties:
                type: { type: string, const: flood.warning }
                id: { type: integer, format: int64 }
      responses:
        2XX: { description: The message has arrived. }
`,
  'src/features/rain/flood/index.ts': `/** The messages about floods. */
import { messages } from './flood.generated.ts';

/** Returns the body of a message. */
export function warningOf(id: bigint): string {
  return messages['flood.warning'].write({ type: 'flood.warning', id });
}
`,
  'contract/rain.yaml': `openapi: 3.1.0
info:
  title: Rain
  version: 1.0.0
  license: { name: MIT License, identifier: MIT }
servers:
  - url: "{base_url}"
    description: This service
    variables:
      base_url:
        default: http://127.0.0.1:8080
paths:
  /rain:
    get:
      operationId: getRain
      summary: Measure the rain
      security: []
      parameters:
        - { name: gauge, in: query, schema: { type: integer, format: int32, minimum: 1, maximum: 9, default: 1 } }
      responses:
        "200":
          description: The rain.
          headers:
            Rain-Depth: { schema: { type: string } }
          content:
            application/json:
              schema:
                type: object
                required: [millimetres, motto]
                properties:
                  millimetres: { type: integer, format: int32, minimum: 0, maximum: 1000 }
                  motto: { type: string }
${[...REFUSED, '404'].map(errorOf).join('')}components:
  responses:
    Refused:
      description: The request cannot be served.
      content:
        application/json:
          schema:
            type: object
            required: [error, message]
            properties:
              error: { type: integer, format: int32, minimum: 0, maximum: 99999 }
              message: { type: string }
`,
  'src/features/rain/index.ts': `/** The feature \`rain\`. */
import type { Handlers } from '../../contract/operation.ts';
import { Problem } from '../../errors.ts';
import type { OpenFeature } from '../../feature.ts';
import { createApi } from '../../http/api.ts';
import { exposedFields, operations } from './rain.generated.ts';

const handlers: Handlers<typeof operations, { readonly millimetres: number; readonly motto: string }> = {
  getRain({ parameters: { gauge } }, { millimetres, motto }) {
    if (gauge > 1) return new Problem(40499, \`There is no gauge \${gauge}.\`);
    return { status: 200, headers: { 'Rain-Depth': String(millimetres) }, body: { millimetres, motto } };
  },
};

export function openRain(millimetres: number): OpenFeature {
  return ({ config: { motto } }) => ({
    exposedFields,
    apis: () => [
      createApi({
        operations,
        handlers,
        contextOf: () => ({ millimetres, motto }),
        documents: {
          '/rain/openapi.json': 'features/rain/rain.served.json',
          '/rain/openapi.yaml': '../contract/rain.yaml',
        },
      }),
    ],
  });
}
`,
};

/** A feature with an option, a command and an error number. */
export const feature: Addition = {
  'src/features/rain/entry.ts': `/** Rain as an entry of the list of features. */
import { command } from '../../cli/command-line.ts';
import { print } from '../../cli/output.ts';
import { integer } from '../../cli/values.ts';
import type { FeatureEntry } from '../entry.ts';

const options = { rain: { read: integer(0, 1_000), value: 'NUMBER', help: 'Serves GET /rain with this much rain.' } };

const forecast = command({
  name: 'rain forecast',
  summary: 'Prints the forecast',
  options: {},
  async run(_config, { stdout }) {
    await print(stdout, 'It will rain.\\n');
    return 0;
  },
});

export const RAIN_ENTRY = {
  name: 'rain',
  options,
  commands: [forecast],
  errors: { 40499: 'There is no such gauge.' },
  isAskedFor: ({ rain }) => rain !== undefined,
  load: async ({ rain = 0 }) => (await import('./index.ts')).openRain(rain),
} satisfies FeatureEntry<typeof options>;
`,
  'src/features/index.ts': [
    ['import { SANDBOX_ENTRY }', "import { RAIN_ENTRY } from './rain/entry.ts';\nimport { SANDBOX_ENTRY }"],
    ['EVENTS_ENTRY]', 'EVENTS_ENTRY, RAIN_ENTRY]'],
  ],
};
