/** The zod schemas of Express and Hono, which accept the plants and parameters of the description. */
import { z } from 'zod';

const text = z.string().max(1024);

export const newPlant = z.object({ id: z.int(), name: text, tag: text.optional() });
export const pathParameters = z.object({ id: z.coerce.number().int() });
export const listParameters = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  tag: text.optional(),
});
