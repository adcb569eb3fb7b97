// What forgetting takes out of the records of turns: all of a turn, or what a memory of it rests on and says.

import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import type { MemoryRef } from '../core/memory.ts';
import { COMMON_WORDS, createJudge, findPieces, type Pieces } from '../core/same-words.ts';
import { joinTexts } from '../store/read.ts';
import { buildRecord } from '../turns/build.ts';
import { readRecord, type Step } from '../turns/record.ts';
import { isNothing, takeOut } from '../turns/take-out.ts';
import { dropRecord, findTurn, rewriteRecord, type TurnPlace } from '../turns/turns.ts';
import type { Doomed } from './erase.ts';
import { dropSteps, listTelling } from './repeats.ts';
import { hashPart, hashTurn } from './tombstones.ts';

export type TakenRecords = {
  turns: TurnPlace[];
  /** How many of these had one. */
  records: number;
  /** By what their events are known again. */
  names: string[];
  /** Runs of words of what was answered: by these others are found that repeat it. */
  telling: string[];
};

/** The whole records of prompts that go. Inside a transaction. */
export function takeRecords(db: Database, doomed: Doomed[]): TakenRecords {
  const prompts = doomed.filter(({ kind }) => kind === 'prompt').flatMap(placeOf);
  const telling = prompts.flatMap((place) => {
    const turn = findTurn(db, place);
    const closing = turn ? readRecord(turn.record).closing : '';
    return findPieces([closing]).telling.filter((piece) => /\s/.test(piece));
  });
  const records = prompts.filter((place) => dropRecord(db, place)).length;
  for (const place of prompts) forgetTold(db, place);
  return { turns: prompts, records, names: prompts.flatMap((place) => nameTurn(db, place)), telling };
}

const placeOf = ({ sessionId, promptNumber }: Doomed): TurnPlace[] => (promptNumber === null ? [] : [{ sessionId, promptNumber }]);

/** Not where another prompt of the turn has the same id: that one stays. */
function nameTurn(db: Database, { sessionId, promptNumber }: TurnPlace): string[] {
  return db
    .query<{ session: string; promptId: string }, [number, number]>(
      `SELECT s.host_session_id AS session, p.prompt_id AS promptId FROM prompts p JOIN sessions s ON s.id = p.session_id
       WHERE p.session_id = ?1 AND p.prompt_number = ?2 AND p.prompt_id IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM prompts o WHERE o.session_id = ?1 AND o.prompt_id = p.prompt_id AND o.id <> p.id AND o.text <> '')`,
    )
    .all(sessionId, promptNumber)
    .map(({ session, promptId }) => hashTurn(session, promptId));
}

/** What sessions were told of a record stands in what is kept of that. */
function forgetTold(db: Database, { sessionId, promptNumber }: TurnPlace): void {
  db.query(
    `UPDATE injections SET text = NULL WHERE text IS NOT NULL
       AND prompt_id IN (SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ?)`,
  ).run(sessionId, promptNumber);
}

/** The steps that memories rest on, as far as their events are still there. To be asked before these are wiped. */
export function readRests(db: Database, doomed: Doomed[]): Set<string> {
  const sources = JSON.stringify(doomed.flatMap((memory) => memory.sources));
  const rows = db
    .query<{ payload: string; root: string }, [string]>(
      `SELECT e.payload, s.root FROM events e JOIN sessions s ON s.id = e.session_id
       WHERE e.kind = 'tool' AND e.payload IS NOT NULL AND e.id IN (SELECT value FROM json_each(?)) ORDER BY e.seq`,
    )
    .all(sources);
  const steps = rows.flatMap(({ payload, root }) => buildRecord([JSON.parse(payload) as SessionEvent], root).steps);
  return new Set(steps.map(nameStep));
}

/** What a step did, whatever came of it. Words are judged by what they say, and a list of steps is of the whole turn. */
function nameStep(step: Step): string {
  const field = NAMED_BY[step.kind];
  return field === undefined ? '' : `${step.kind} ${step[field as keyof Step]}`;
}

const NAMED_BY: Partial<Record<Step['kind'], string>> = {
  ...{ ran: 'command', edited: 'file', read: 'file', searched: 'query', asked: 'question', planned: 'text', committed: 'hash' },
  ...{ web: 'source', mcp: 'source', agent: 'task' },
};

type TakingFrom = {
  doomed: Doomed[];
  rests: Set<string>;
  /** Words that nobody else says. */
  words: string[];
};

export type TakenParts = {
  /** Records that lost something, and those of them that are still there. */
  changed: TurnPlace[];
  left: TurnPlace[];
  emptied: number;
  paragraphs: number;
  hashes: string[];
};

/** What memories rest on and say goes from the records of their turns. Inside a transaction. */
export function takeFromRecords(db: Database, { doomed, rests, words }: TakingFrom): TakenParts {
  const parts: TakenParts = { changed: [], left: [], emptied: 0, paragraphs: 0, hashes: [] };
  const rare = words.filter((word) => !COMMON_WORDS.has(word.toLowerCase()));
  const turns = Map.groupBy(doomed, ({ sessionId, promptNumber }) => `${sessionId}:${promptNumber}`);
  for (const memories of turns.values()) {
    const [place] = memories.flatMap(placeOf);
    const turn = place && findTurn(db, place);
    if (!turn) continue;
    const texts = memories.flatMap((memory) => memory.texts);
    const telling = listTelling(db, findPieces(texts, MOST_PIECES).telling);
    const isGone = createJudge({ texts, telling, words: rare });
    dropSteps(db, place, isGone);
    const taken = takeOut(readRecord(turn.record), {
      isGone,
      isGoneStep: (step) => rests.has(nameStep(step)),
    });
    if (taken.count === 0) {
      parts.left.push(place);
      continue;
    }
    parts.changed.push(place);
    parts.paragraphs += taken.count;
    parts.hashes.push(...taken.texts.flatMap((text) => hashPart(text) ?? []));
    forgetTold(db, place);
    if (isNothing(taken.record)) {
      dropRecord(db, place);
      parts.emptied++;
    } else {
      rewriteRecord(db, turn, taken.record);
      parts.left.push(place);
    }
  }
  return parts;
}

/** Observations of their turns that say the same in other words: too few of the words stand in a row for the index to tell. */
export function listTurnSayers(db: Database, doomed: Doomed[]): MemoryRef[] {
  const find = db.query<{ id: number; text: string }, [number, number]>(
    `SELECT id, ${joinTexts('title, subtitle, narrative, facts')} AS text FROM observations
     WHERE session_id = ? AND prompt_number = ? AND prompt_number > 0 AND hidden_at IS NULL ORDER BY id DESC`,
  );
  return doomed.flatMap(({ sessionId, promptNumber, texts }) => {
    const isSame = createJudge({ texts, telling: [], words: [] });
    const rows = promptNumber === null ? [] : find.all(sessionId, promptNumber);
    return rows.filter(({ text }) => isSame(text)).map(({ id }): MemoryRef => ({ kind: 'observation', id }));
  });
}

const MOST_PIECES = 200;
const FAR_PIECES = 6;
const MOST_SAYERS = 20;

/** Turns whose output or diffs say it: the index knows only what stands above these. */
export function listRecordSayers(db: Database, { telling }: Pieces): MemoryRef[] {
  const pieces = listTelling(db, telling).slice(0, FAR_PIECES);
  return db
    .query<{ id: number }, [string, number]>(
      `SELECT p.id FROM turns t JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number
       WHERE p.text <> '' AND p.hidden_at IS NULL AND EXISTS (SELECT 1 FROM json_each(?) WHERE instr(t.record, value))
       ORDER BY t.ended_at_epoch DESC LIMIT ? + 0`,
    )
    .all(JSON.stringify(pieces), MOST_SAYERS)
    .map(({ id }) => ({ kind: 'prompt', id }));
}
