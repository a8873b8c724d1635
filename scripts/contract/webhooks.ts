/** Reads the webhooks of a description (OpenAPI 3.1, 4.8.1.1): the messages that the service sends to receivers. */
import { isRequired, schemaOfRequest } from './content.ts';
import { operationAt } from './operation.ts';
import { parameterSchemaOf, parametersOf } from './parameters.ts';
import type { Place } from './place.ts';
import { requireOwn, SchemaCode } from './schema-code.ts';

const PATH_ITEM = 'summary description post';
/** What a receiver returns. Its body has no meaning for the service. */
const RESPONSE = 'description headers';
const STATUS = /^(?:[2-5](?:\d\d|XX)|default)$/;

/** Returns the code of a table that has the schema of each webhook's body, by the name of the webhook. */
export function messagesCode(webhooks: Place, ids: Set<string>, schemas: SchemaCode): string {
  const lines = webhooks.entries().map(([name, item]) => {
    if (!/^[\w.-]+$/.test(name)) item.refuse('the name of a webhook must have only letters, digits, _, . and -');
    requireOwn(item, name);
    return `${JSON.stringify(name)}: ${messageCode(item.only(PATH_ITEM), ids, schemas)},`;
  });
  return `export const messages = {\n${lines.join('\n')}\n} as const;`;
}

/** The service writes the message, so its body and its header fields follow the rules of a response. */
function messageCode(item: Place, ids: Set<string>, schemas: SchemaCode): string {
  const { operation } = operationAt(item, 'post', ids);
  requireNoCredential(operation);
  for (const parameter of parametersOf('', item, operation)) {
    if (parameter.members['in'] !== 'header') parameter.refuse('a parameter of a webhook must be in header');
    // The code that sends the message writes the header fields, so the code of their schemas is not used.
    new SchemaCode().of(parameterSchemaOf(parameter), 'response');
  }
  const responses = operation.get('responses');
  for (const [status, response] of responses.entries()) {
    if (!STATUS.test(status)) response.refuse('a status must be one of 200 to 599, 2XX to 5XX, or default');
    response.follow().only(RESPONSE);
  }
  const body = operation.get('requestBody').follow();
  if (!isRequired(body)) body.refuse('the body of a webhook must be required');
  return schemas.of(schemaOfRequest(body), 'response');
}

/** The security of the whole description is about requests to the service, so a webhook must override it. */
function requireNoCredential(operation: Place): void {
  const { security } = operation.members;
  if (!Array.isArray(security) || security.length > 0) {
    operation.refuse('the security of a webhook must be [], since the service sends no credential');
  }
}
