// Generated from contract/manifest.schema.json by npm run generate. Do not edit.
import { array, integer, object, oneOf, optional, text, type TypeOf } from '../../src/contract/schema.ts';

export const Manifest = object(
  {
    $schema: optional(text({ maxLength: 1000, rule: 'a string of at most 1000 characters' })),
    name: text({ minLength: 1, maxLength: 100, rule: 'a string that is not empty of at most 100 characters' }),
    version: text({ minLength: 1, maxLength: 100, rule: 'a string that is not empty of at most 100 characters' }),
    start: array(
      text({ minLength: 1, maxLength: 1000, rule: 'a string that is not empty of at most 1000 characters' }),
      100,
    ),
    openapi: text({
      maxLength: 1000,
      pattern: /^\//u,
      rule: 'a string: a path of the service that returns its OpenAPI description, such as /openapi.json',
    }),
    values: optional(
      array(
        object(
          {
            name: text({
              maxLength: 50,
              pattern: /^[a-z][A-Za-z]*$/u,
              rule: 'a string: a name such as readToken, which becomes {readToken} and PLANTSTORE_READ_TOKEN',
            }),
            value: text({ maxLength: 10000, rule: 'a string of at most 10000 characters' }),
          },
          { isClosed: true },
        ),
        50,
      ),
    ),
    defects: array(
      object(
        {
          name: text({
            maxLength: 64,
            pattern: /^[a-z][a-z0-9-]*$/u,
            rule: 'a string: lower-case letters, digits and hyphens',
          }),
          tier: text({
            maxLength: 30,
            pattern: /^[a-z][a-z-]*$/u,
            rule: 'a string: a tier such as schema, in lower-case letters and hyphens',
          }),
          does: text({ minLength: 1, maxLength: 500, rule: 'a string that is not empty of at most 500 characters' }),
          operation: text({
            minLength: 1,
            maxLength: 100,
            rule: 'a string that is not empty of at most 100 characters',
          }),
          breaks: text({
            minLength: 1,
            maxLength: 1000,
            rule: 'a string that is not empty of at most 1000 characters',
          }),
          ruleIn: oneOf('schema', 'prose'),
          wfc: array(integer(1, 9999), 20),
          owasp: optional(
            text({
              maxLength: 5,
              pattern: /^API([1-9]|10)$/u,
              rule: 'a string: a risk of the OWASP API Security Top 10 of 2023, such as API1',
            }),
          ),
          cwe: optional(integer(1, 99999)),
        },
        { isClosed: true },
      ),
      1000,
    ),
  },
  { isClosed: true },
);
export type Manifest = TypeOf<typeof Manifest>;
