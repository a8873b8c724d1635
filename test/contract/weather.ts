/** A small description with webhooks, for the tests of webhooks. */
import { parse } from 'yaml';

/** A description as a value that a test can change. */
export interface Open {
  [key: string]: Open;
}

const SOURCE = `
openapi: 3.1.0
info: { title: Weather, version: 1.0.0 }
servers:
  - { url: "{base_url}", variables: { base_url: { default: "http://127.0.0.1:8080" } } }
security: [{ bearerAuth: [] }]
paths:
  /rain:
    get:
      operationId: getRain
      security: []
      responses:
        "200":
          description: The rain.
          content: { application/json: { schema: { $ref: "#/components/schemas/Rain" } } }
        "400": { $ref: "#/components/responses/Refused" }
        "500": { $ref: "#/components/responses/Refused" }
        "503": { $ref: "#/components/responses/Refused" }
webhooks:
  rain.began:
    post:
      operationId: rainBegan
      summary: It rains
      security: []
      parameters:
        - { $ref: "#/components/parameters/Id" }
        - { name: webhook-timestamp, in: header, required: true, schema: { type: integer, format: int64, minimum: 1 } }
        - { name: webhook-trace, in: header, schema: { type: string, format: uuid } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/RainBegan" } } }
      responses:
        2XX: { description: The message has arrived. }
        "410": { description: The service sends no further message. }
        4XX: { description: The service tries again. }
        "503": { $ref: "#/components/responses/Busy" }
        default: { description: The service tries again. }
  rain.ended:
    summary: It no longer rains
    post:
      operationId: rainEnded
      security: []
      requestBody: { $ref: "#/components/requestBodies/RainEnded" }
      responses:
        2XX: { description: The message has arrived. }
components:
  parameters:
    Id: { name: Webhook-Id, in: header, required: true, schema: { $ref: "#/components/schemas/Id" } }
  requestBodies:
    RainEnded:
      required: true
      content:
        application/json: { schema: { type: object, properties: { drops: { type: integer, format: int64 } } } }
  responses:
    Busy:
      description: The service waits.
      headers: { Retry-After: { schema: { type: integer, minimum: 0, maximum: 3600 } } }
    Refused:
      description: The request cannot be served.
      content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
  schemas:
    Id: { type: string, pattern: "^[a-z]{1,9}$" }
    Rain: { type: object, required: [depth], properties: { depth: { type: integer, format: int32 } } }
    RainBegan:
      type: object
      required: [type, timestamp, data]
      properties:
        type: { type: string, const: rain.began }
        timestamp: { type: string, format: date-time }
        data: { $ref: "#/components/schemas/Rain" }
    Error:
      type: object
      required: [error, message]
      properties: { error: { type: integer, format: int32 }, message: { type: string } }
`;

export function weather(): Open {
  return parse(SOURCE, { intAsBigInt: true });
}

/** Sets a member of a description, or removes it if the value is undefined. `path`: the names on the way to it. */
export function change(document: Open, path: string, value: unknown): Open {
  const keys = path.split(' ');
  const last = keys.pop() as string;
  const target = keys.reduce((node, key) => node[key] as Open, document);
  if (value === undefined) delete target[last];
  else target[last] = value as Open;
  return document;
}
