// A waiting batch with all that a question about it needs.
import type { Database } from 'bun:sqlite';
import { lastMessageBefore } from '../capture/events.ts';
import { listEarlierPrompts, nextPromptText } from '../capture/prompts.ts';
import { listBatchEvents, type QueuedEvent } from '../capture/queue.ts';
import { getSession } from '../capture/sessions.ts';
import { hashParts } from '../core/ids.ts';
import type { Batch } from '../core/observation.ts';
import type { Log } from '../log.ts';
import { contentWords, wordsIn } from '../memory/content-words.ts';
import { readCurrentByIds } from '../memory/for-context.ts';
import { listTitles } from '../memory/observations.ts';
import { listOpenSteps } from '../memory/open-steps.ts';
import type { StoredBatch } from '../store/batches.ts';
import type { Budget } from '../store/model-calls.ts';
import { readAll } from '../store/read.ts';
import { makeBatch, nameTurn, type ObserveDeps } from '../turns/batch.ts';
import { buildRecord } from '../turns/build.ts';
import type { AskModel } from './providers/contract.ts';
import { type PromptOptions, writeQuestion } from './question.ts';

export type ModelAccess = {
  /** Another key, address, provider or model is another access. */
  id: string;
  provider: string;
  model: string;
  ask: AskModel;
};

/** The rules are for what a model does not decide: outcomes, and what it left out. */
export type SummariseDeps = ObserveDeps & {
  db: Database;
  access: ModelAccess;
  prompt: PromptOptions;
  budget: Budget;
  answerMs: number;
  retryMs: number;
  /** False once the settings say otherwise: then nothing more is asked in this way. */
  isWanted: () => boolean;
  clock: () => number;
  log: Log;
  signal: AbortSignal;
};

export type OpenBatch = NonNullable<ReturnType<typeof openBatch>>;

/** About a longer turn the model is asked in short. */
const MAX_EVENTS = 250;

/** Null when nothing is left of it. */
export function openBatch({ db, prompt, isForeign }: SummariseDeps, stored: StoredBatch) {
  const batchId = stored.id;
  const { promptNumber } = stored;
  const session = getSession(db, stored.sessionId);
  const turn = listBatchEvents(db, batchId);
  if (!session || turn.length === 0) return null;
  const batch = makeBatch(db, { session, turn, isForeign });
  const first = Math.min(...turn.map(({ seq }) => seq));
  const isLong = turn.length > MAX_EVENTS;
  const about = { sessionId: session.id, projectId: session.projectId, promptNumber, ...readTurn(batch) };
  const [decisions, steps] = [listDecisions(db, about), listSteps(db, about)];
  const input = {
    batch,
    recorded: listTitles(db, session.id, promptNumber),
    earlierPrompts: listEarlierPrompts(db, session.id, firstPromptToTell(turn)),
    previousMessage: lastMessageBefore(db, session.id, first),
    next: nextPromptText(db, session.id, promptNumber),
    decisions,
    steps,
  };
  const question = writeQuestion(input, { ...prompt, isShrunk: stored.isShrunk || isLong });
  // Should others be shown later, the answer is not taken for another's.
  const key = hashParts(question.events.map(({ id }) => id));
  const listed = { decisions: decisions.map(({ id }) => id), steps: steps.map(({ id }) => id) };
  return { stored, session, turn, batch, question, key, listed, name: nameTurn({ ...stored, batchId }) };
}

function readTurn({ events, project }: Batch): { text: string; files: string[]; at: number } {
  const { steps, closing } = buildRecord(events, project.root);
  const prompts = events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []));
  const said = steps.flatMap((step) => (step.kind === 'said' ? [step.text] : step.kind === 'asked' ? [step.answer] : []));
  const files = steps.flatMap((step) => (step.kind === 'edited' || step.kind === 'read' ? [step.file] : []));
  const text = [...prompts, closing, ...said, ...files].map((one) => String(one).slice(0, 1000)).join('\n');
  return { text, files: [...new Set(files)], at: events.reduce((last, { at }) => Math.max(last, at), 0) };
}

/** A part of a long turn does not hold the prompt it works on: that one was said before. */
function firstPromptToTell(turn: QueuedEvent[]): number {
  const first = Math.min(...turn.map(({ promptNumber }) => promptNumber));
  return turn.some(({ event }) => event.kind === 'prompt') ? first : first + 1;
}

// What a model may say to be replaced or done: the current decisions and the open steps that a turn may touch, by number.

export type ListedDecision = { id: number; text: string; by: 'user' | 'agent'; files: string[] };
export type ListedStep = { id: number; text: string };

const MOST_DECISIONS = 12;
const MOST_STEPS = 12;
/** The newest of a project, and those on the same files: cost does not grow with the store. */
const LOOKED_AT = 200;

type ListedFor = {
  sessionId: number;
  projectId: number;
  promptNumber: number;
  at: number;
  text: string;
  /** Those it read or changed, named from the root. */
  files: string[];
};

/** First those that share a file with the turn, then those that share the rarest words, then the newest of the user. */
function listDecisions(db: Database, turn: ListedFor): ListedDecision[] {
  const words = wordsIn([turn.text]);
  const known = readDecisions(db, turn).map((decision) => ({ decision, words: [...contentWords(decision.text)] }));
  const counts = Map.groupBy(
    known.flatMap((one) => one.words),
    (word) => word,
  );
  const rankOf = (one: (typeof known)[number]) => [
    Number(one.decision.files.some((file) => turn.files.includes(file))),
    Math.max(0, ...one.words.filter((word) => words.has(word)).map((word) => 1 / (counts.get(word)?.length ?? 1))),
    Number(one.decision.by === 'user'),
    one.decision.id,
  ];
  return known
    .map((one) => ({ decision: one.decision, rank: rankOf(one) }))
    .sort((one, other) => other.rank.map((value, at) => value - (one.rank[at] ?? 0)).find((difference) => difference !== 0) ?? 0)
    .slice(0, MOST_DECISIONS)
    .map(({ decision }) => decision);
}

const listSteps = (db: Database, turn: ListedFor): ListedStep[] =>
  listOpenSteps(db, { projectIds: [turn.projectId], until: turn.at, limit: MOST_STEPS + 8 })
    .filter(({ sessionId, promptNumber }) => sessionId !== turn.sessionId || promptNumber < turn.promptNumber)
    .slice(0, MOST_STEPS)
    .map(({ id, text }) => ({ id, text }));

function readDecisions(db: Database, { sessionId, projectId, promptNumber, at, files }: ListedFor): ListedDecision[] {
  const sql = `SELECT o.id FROM observations o WHERE o.id IN (
    SELECT id FROM (SELECT id FROM observations WHERE project_id = $projectId AND type = 'decision'
      AND created_at_epoch <= $at ORDER BY created_at_epoch DESC LIMIT ${LOOKED_AT})
    UNION SELECT observation_id FROM (SELECT observation_id FROM citations WHERE project_id = $projectId
      AND path IN (SELECT value FROM json_each($files)) ORDER BY observation_id DESC LIMIT ${LOOKED_AT}))
    AND o.type = 'decision' AND +o.project_id = $projectId AND +o.created_at_epoch <= $at AND o.title IS NOT NULL
    AND NOT (o.session_id IS $sessionId AND coalesce(o.prompt_number, 0) >= $promptNumber)`;
  const ids = readAll<{ id: number }>(db, sql, { sessionId, projectId, promptNumber, at, files: JSON.stringify(files.slice(0, 100)) }).map(
    ({ id }) => id,
  );
  return readCurrentByIds(db, ids).map(({ id, title, facts, origin, filesModified, filesRead }) => ({
    id,
    text: [title, ...facts.slice(0, 1)].join('. '),
    by: origin === 'user' ? 'user' : 'agent',
    files: [...filesModified, ...filesRead],
  }));
}
