/** The zod schemas of Express and Hono, which accept the plants and parameters of the description. */
import { z } from 'zod';
import { toId } from './json.ts';

const text = z.string().max(1024);
const INT64 = /^-?\d{1,19}$/;
const isInt64 = (id: bigint) => toId(id) !== undefined;
const parameter = z.string().regex(INT64).transform(BigInt).refine(isInt64);

export const newPlant = z.object({
  id: z.union([z.int().transform(BigInt), z.bigint().refine(isInt64)]),
  name: text,
  tag: text.optional(),
});
export const pathParameters = z.object({ id: parameter });
export const listParameters = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  tag: text.optional(),
  after: parameter.optional(),
});
