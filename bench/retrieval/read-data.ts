// The benchmark files: read from the folder that was named, checked as they are read.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** Null when there is no such file. */
export function readData<Schema extends z.ZodType>(folder: string, name: string, schema: Schema): z.output<Schema> | null {
  const path = join(folder, name);
  if (!existsSync(path)) return null;
  return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
}
