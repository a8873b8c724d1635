/** Types for clients, made from the schemas of a description. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientTypes } from '../../scripts/contract/client-types.ts';

const DOCUMENT = {
  components: {
    schemas: {
      Rule: {
        type: 'object',
        description: 'A rule.',
        required: ['when'],
        properties: {
          when: { type: 'string', enum: ['before', 'after'] },
          at: { $ref: '#/components/schemas/Time' },
          matches: { type: 'array', items: { $ref: '#/components/schemas/Match' } },
        },
      },
      Match: { type: 'object', properties: { id: { type: 'integer', format: 'int64', description: 'An id.' } } },
      Time: { type: 'string' },
      Unused: { type: 'object', properties: {} },
    },
  },
};

test('a schema becomes an interface, together with the objects that it refers to', () => {
  assert.equal(
    clientTypes('d.yaml', DOCUMENT, ['Rule']),
    `// Generated from d.yaml by npm run generate. Do not edit.

/** A rule. */
export interface Rule {
readonly when: "before" | "after";
readonly at?: string;
readonly matches?: readonly Match[];
}

export interface Match {
/** An id. */
readonly id?: number | bigint | string;
}
`,
  );
});
