/** What Express and Hono let in: the description's plants and parameters as zod's schemas. */
import { z } from 'zod';

const text = z.string().max(1024);

export const replacement = z.object({ name: text, tag: text.optional() });
export const newPlant = replacement.extend({ id: z.int() });
export const pathParameters = z.object({ id: z.coerce.number().int() });
export const listParameters = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  tag: text.optional(),
});
