// What a model may say to be replaced or done: the current decisions and the open steps that a turn may touch, by number.
import type { Database } from 'bun:sqlite';
import { listOpenSteps } from '../memory/open-steps.ts';
import { contentWords, wordsIn } from '../observer/content-words.ts';
import { current } from '../store/trust/trusted.ts';

export type ListedDecision = { id: number; text: string; by: 'user' | 'agent'; files: string[] };
export type ListedStep = { id: number; text: string };

const MOST_DECISIONS = 12;
const MOST_STEPS = 12;
/** The newest of a project, and those on the same files: cost does not grow with the store. */
const LOOKED_AT = 200;

export type ListedFor = {
  sessionId: number;
  projectId: number;
  promptNumber: number;
  /** When the turn ended. */
  at: number;
  /** What was asked and said in it. */
  text: string;
  /** Those it read or changed, named from the root. */
  files: string[];
};

/** First those that share a file with the turn, then those that share the rarest words, then the newest of the user. */
export function listDecisions(db: Database, turn: ListedFor): ListedDecision[] {
  const known = readDecisions(db, turn);
  const words = wordsIn([turn.text]);
  const counts = new Map<string, number>();
  const wordsOf = known.map(({ text }) => contentWords(text));
  for (const one of wordsOf) for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  const files = new Set(turn.files);
  const ranked = known.map((decision, at) => {
    const shared = [...(wordsOf[at] ?? [])].filter((word) => words.has(word));
    const rarest = Math.max(0, ...shared.map((word) => 1 / (counts.get(word) ?? 1)));
    return { decision, hasFile: decision.files.some((file) => files.has(file)), rarest };
  });
  return ranked
    .sort(
      (one, other) =>
        Number(other.hasFile) - Number(one.hasFile) ||
        other.rarest - one.rarest ||
        Number(other.decision.by === 'user') - Number(one.decision.by === 'user') ||
        other.decision.id - one.decision.id,
    )
    .slice(0, MOST_DECISIONS)
    .map(({ decision }) => decision);
}

/** What earlier turns left open. */
export const listSteps = (db: Database, turn: ListedFor): ListedStep[] =>
  listOpenSteps(db, { projectIds: [turn.projectId], until: turn.at, limit: MOST_STEPS + 8 })
    .filter(({ sessionId, promptNumber }) => sessionId !== turn.sessionId || promptNumber < turn.promptNumber)
    .slice(0, MOST_STEPS)
    .map(({ id, text }) => ({ id, text }));

type Row = { id: number; title: string; facts: string; origin: string; modified: string; read: string };

function readDecisions(db: Database, { sessionId, projectId, promptNumber, at, files }: ListedFor): ListedDecision[] {
  const rows = db
    .query<Row, [Record<string, number | string>]>(
      `SELECT o.id, o.title, o.facts, o.origin, o.files_modified AS modified, o.files_read AS read FROM observations o
       WHERE o.id IN (
         SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND type = 'decision'
           AND created_at_epoch <= $at ORDER BY created_at_epoch DESC LIMIT ${LOOKED_AT})
         UNION SELECT observation_id FROM (SELECT observation_id FROM citations WHERE project_id = $projectId
           AND path IN (SELECT value FROM json_each($files)) ORDER BY observation_id DESC LIMIT ${LOOKED_AT}))
         AND o.type = 'decision' AND +o.project_id = $projectId AND +o.created_at_epoch <= $at AND o.title IS NOT NULL
         AND NOT (o.session_id = $sessionId AND coalesce(o.prompt_number, 0) >= $promptNumber)
         AND ${current('o')}`,
    )
    .all({ sessionId, projectId, promptNumber, at, files: JSON.stringify(files.slice(0, 100)) });
  return rows.map(({ id, title, facts, origin, modified, read }) => ({
    id,
    text: [title, ...texts(facts).slice(0, 1)].join('. '),
    by: origin === 'user' ? 'user' : 'agent',
    files: [...texts(modified), ...texts(read)],
  }));
}

/** A damaged list of an older memory says nothing. */
function texts(json: string): string[] {
  try {
    const value: unknown = JSON.parse(json);
    const list = Array.isArray(value) ? value : [];
    return list.map((one) => (typeof one === 'string' ? one : one?.text)).filter((text) => typeof text === 'string');
  } catch {
    return []; // as said
  }
}
