/** Finds the schema of a body in JSON. */
import type { Place } from './place.ts';

export const JSON_TYPE = 'application/json';
const REQUEST_BODY = 'description required content';
const MEDIA_TYPE = 'schema example examples';

/** Returns the schema of the body of a request, with a reference not followed. */
export function schemaOfRequest(body: Place): Place {
  return schemaOf(body.only(REQUEST_BODY));
}

/** Whether a request must have the body. */
export function isRequired(body: Place): boolean {
  return body.members['required'] === true;
}

/** The schema of a request or an error, which must have only one media type. */
export function schemaOf(message: Place): Place {
  const content = message.get('content');
  if (!message.has('content') || Object.keys(content.members).join() !== JSON_TYPE) {
    content.refuse('application/json must be the only media type');
  }
  return schemaIn(content);
}

export function schemaIn(content: Place): Place {
  if (!content.has(JSON_TYPE)) content.refuse('application/json must be among the media types');
  return content.get(JSON_TYPE).only(MEDIA_TYPE).get('schema');
}
