// The worker's index as the CLI reads it.
import { z } from 'zod';

export const IndexState = z.object({
  embedder: z.string(),
  documents: z.number(),
  models: z.array(
    z.object({ name: z.string(), vectors: z.number(), waiting: z.number(), problem: z.string().nullable() }),
  ),
  newestWaitingMs: z.number().nullable(),
  isWorking: z.boolean(),
  problem: z.string().nullable(),
  job: z
    .object({
      startedAt: z.string(),
      step: z.enum(['words', 'vectors', 'done', 'failed']),
      error: z.string().nullable().default(null),
      done: z.number(),
      total: z.number(),
    })
    .nullable(),
});
export type IndexState = z.infer<typeof IndexState>;

/** `1,234 memories, vectors 1,234 static, 1,200 minilm (34 waiting)` */
export function describeIndex({ embedder, documents, models }: IndexState): string {
  const memories = `${count(documents)} memories`;
  if (embedder === 'off') return `${memories}, found by their words alone (embedder off)`;
  const vectors = models.map(({ name, vectors, waiting }) => {
    const rest = waiting > 0 ? ` (${count(waiting)} waiting)` : '';
    return `${count(vectors)} ${shortName(name)}${rest}`;
  });
  return vectors.length === 0 ? memories : `${memories}, vectors ${vectors.join(', ')}`;
}

export function listIndexProblems({ models, problem }: IndexState): string[] {
  const own = models.flatMap((model) => (model.problem ? [`${shortName(model.name)}: ${model.problem}`] : []));
  return problem ? [problem, ...own] : own;
}

/** Engine and version are the index's business. */
const shortName = (name: string) => /^(static|minilm)-/.exec(name)?.[1] ?? name;

const count = (value: number) => value.toLocaleString('en');
