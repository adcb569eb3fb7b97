// What an import is asked for, and what it would read: the answer of `GET /api/import`.
import type { ImportParameters } from './shapes/job.ts';

/** These choose among transcripts; an export and a database are taken as a whole. */
export const CHOOSING = ['agent', 'project', 'since', 'deepen'] as const satisfies (keyof ImportParameters)[];
