// The route of contradictions: where two memories seem to disagree and nobody has said which one holds.
import type { Database } from 'bun:sqlite';
import { formatRef } from '../../../core/memory.ts';
import { listContradictions } from '../../../memory/replacements.ts';
import { readRows } from '../../../store/memories/memories.ts';
import { resolveListScope } from '../../projects/scope.ts';
import { ScopeShape, wholeNumber } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { ContradictionsSchema } from '../schemas/memory.ts';

export function addContradictionRoutes(api: Api, { db }: { db: Database }): void {
  const spec = {
    method: 'GET',
    path: '/api/contradictions',
    about: 'Pairs of memories that seem to disagree, the latest first.',
    query: { ...ScopeShape, limit: wholeNumber(1, 200).default(50).describe('How many') },
    answers: { 200: ContradictionsSchema },
  } as const;
  addRoute(api, spec, ({ query, c }) => {
    const pairs = listContradictions(db, resolveListScope(db, query).projectIds, query.limit);
    const rows = readRows(
      db,
      pairs.flatMap(({ older, newer }) => [older, newer]),
    );
    const items = pairs.flatMap(({ older, newer, why, words, at }) => {
      const [first, second] = [rows.get(formatRef(newer)), rows.get(formatRef(older))];
      return first && second ? [{ newer: first, older: second, why, words, at }] : [];
    });
    return c.json({ items });
  });
}
