// A page of a list, and how it is asked for again.
import { z } from 'zod';

export const PageFields = {
  /** How many there are in all. */
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
};

export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), ...PageFields });
