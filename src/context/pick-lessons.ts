// Of what is known of an error or a file the few that are told: the first, none that says the same as one before it.
import type { Database } from 'bun:sqlite';
import { foldRepeats } from '../search/alike.ts';
import type { Lesson } from '../store/memories/lessons.ts';
import type { Observation } from '../store/memories/observations.ts';
import { readCurrentByIds } from '../store/trust/tellable-observations.ts';

/** So many are compared with each other. */
const AMONG = 12;

export function pickLessons(db: Database, lessons: Lesson[], most: number): Observation[] {
  if (lessons.length === 0) return [];
  const once = [...new Map(lessons.map(({ id, title }) => [id, { id, text: title ?? '' }])).values()].slice(0, AMONG);
  // Of repeats the last one is kept: here the first is the best.
  const ids = foldRepeats(once.toReversed()).map(({ id }) => id);
  const found = new Map(readCurrentByIds(db, ids).map((observation) => [observation.id, observation]));
  return ids
    .toReversed()
    .flatMap((id) => found.get(id) ?? [])
    .slice(0, most);
}
