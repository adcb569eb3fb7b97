// What a first prompt calls to mind: the conclusions of the one or two conversations that matter for it, or nothing.
import { formatDate } from '../core/local-time.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { describeReplaced } from '../core/render-index.ts';
import type { Finder, Found } from '../search/find.ts';
import { type FoundSession, rankSessions } from '../search/search-sessions.ts';
import {
  listBelieved,
  listReplacedSessions,
  readNote,
  readSessionMemories,
  type SessionMemories,
  sessionOf,
} from '../store/sessions/session-memories.ts';
import { orderFinds } from './recall-commits.ts';
import { chooseSessions, mayConvince } from './recall-convincing.ts';
import { type Told, tellConclusions } from './recall-lines.ts';
import { listSentences } from './recall-sentences.ts';
import { type Weighed, weighSentences } from './recall-weigh.ts';
import { readQuestion } from './recall-worth.ts';

export type Recall = { records: RecallRecord[] };

export type RecallRecord = {
  /** The memory that says it: to be looked up. */
  ref: MemoryRef;
  sessionId: number;
  at: number;
  type: string;
  title: string;
  /** Conclusions as they were said: what holds now, what was rejected, where. */
  lines: string[];
  /** `may be replaced by #123`: then that stands before it. */
  mark: string | null;
  why: string[];
};

export type RecallQuestion = {
  prompt: string;
  projectIds: number[];
  /** The session that asks: it is told nothing of itself. */
  exceptSession?: number | undefined;
};

type Place = { projectIds: number[]; exceptSession: number | undefined };

/** In UTF-16 units, with the line breaks: the frame around it takes the rest of 1,500. */
export const RECALL_LENGTH = 1250;
/** What a second record gets. */
const BESIDE_LENGTH = 400;
/** For `#123456 2026-01-02 decision `. */
const HEAD_LENGTH = 40;
const RANKED = 10;

export async function recallForPrompt(finder: Finder, asked: RecallQuestion): Promise<Recall | null> {
  const question = readQuestion(asked.prompt);
  if (question === null) return null;
  const place = { projectIds: asked.projectIds, exceptSession: asked.exceptSession };
  const believed = onlyBelieved(finder, await finder.find(question, place));
  if (!mayConvince(believed)) return null;
  for (const found of orderFinds(finder.db, believed)) {
    const recall = recallFound(finder, found, { question, place });
    if (recall) return recall;
  }
  return null;
}

function recallFound(
  finder: Finder,
  found: Found,
  { question, place }: { question: string; place: Place },
): Recall | null {
  const ranked = rankSessions(finder, found, RANKED, 0);
  const replaced = listReplacedSessions(
    finder.db,
    ranked.map(({ sessionId }) => sessionId),
  );
  const sessions = chooseSessions(found, ranked, replaced);
  const records: RecallRecord[] = [];
  for (const session of sessions) {
    const room = records.length === 0 ? RECALL_LENGTH : Math.min(BESIDE_LENGTH, RECALL_LENGTH - lengthOf(records));
    if (room < BESIDE_LENGTH) break;
    const told = recallSession(finder, { session, found, question, place, room });
    for (const record of told)
      if (record.mark || !records.some(({ sessionId }) => sessionId === record.sessionId)) records.push(record);
  }
  return records.length > 0 ? { records: fit(records) } : null;
}

/** What nobody may be told must not stand before what may; what was replaced leads to what holds. */
function onlyBelieved({ db }: Finder, found: Found): Found {
  const ids = found.scored.flatMap(({ candidate }) => (candidate.kind === 'observation' ? [candidate.ref] : []));
  const believed = listBelieved(db, ids);
  const isBelieved = ({ candidate }: Found['scored'][number]) =>
    candidate.kind !== 'observation' || believed.has(candidate.ref);
  return { ...found, scored: found.scored.filter(isBelieved) };
}

type Recalling = { session: FoundSession; found: Found; question: string; place: Place; room: number };

/** Of the session, or of the one in which its best word was replaced; where it only may be, both: the newer first. */
function recallSession(finder: Finder, { session, found, question, place, room }: Recalling): RecallRecord[] {
  let asked = question;
  let view = viewSession(finder, session.sessionId, { asked, matched: matchedIn(found, session.sessionId) });
  const why = explain(found, session);
  const older: RecallRecord[] = [];
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const [best] = view.weighed;
    if (!best) return [];
    const newer = findNewer(finder, view, place);
    if (newer === null) break;
    why.push(`the newest word on #${formatRef(best.ref)}`);
    if (best.replacedBy?.isCertain === false) older.unshift(olderRecord(best, view));
    // The older words tell what the newer ones are about.
    asked = `${question}\n${best.text}`;
    view = viewSession(finder, newer, { asked, matched: null });
  }
  const current = view.weighed.filter(({ replacedBy }) => replacedBy === null);
  const told = tellConclusions(current, view.memories, { known: finder.known, room: room - HEAD_LENGTH });
  return told ? [toRecord(told, view, why), ...older] : [];
}

/** A line of its own. */
function olderRecord({ ref, at, text, replacedBy }: Weighed, { sessionId }: View): RecallRecord {
  const mark = replacedBy && describeReplaced(replacedBy);
  return { ref, sessionId, at, type: 'decision', title: text, lines: [], mark, why: ['may be replaced'] };
}

const MOST_HOPS = 3;

/** What a session has to say to a prompt, best first. */
type View = { sessionId: number; memories: SessionMemories; weighed: Weighed[] };

function viewSession(
  { db, known }: Finder,
  sessionId: number,
  { asked, matched }: { asked: string; matched: Set<string> | null },
): View {
  // What was said by hand has a number of its own: that of its observation, below zero.
  const whole = sessionId < 0 ? readNote(db, -sessionId) : readSessionMemories(db, sessionId);
  const memories = nearTurns(whole, matched);
  return { sessionId, memories, weighed: weighSentences(listSentences(memories), { known, prompt: asked }) };
}

/** The session in which its best word was replaced; null when it is the last word. */
function findNewer(finder: Finder, { sessionId, weighed: [best] }: View, place: Place): number | null {
  const ref = best?.replacedBy && parseRef(best.replacedBy.id);
  const newer = ref ? sessionOf(finder.db, ref) : null;
  return newer === sessionId || newer === place.exceptSession ? null : newer;
}

/** The turns around what speaks to the prompt: a long session is about many things. */
function nearTurns(memories: SessionMemories, matched: Set<string> | null): SessionMemories {
  const { observations, prompts, summaries } = memories;
  const all = [
    ...observations.map(({ id, turn }) => ({ ref: formatRef({ kind: 'observation', id }), turn })),
    ...prompts.map(({ id, turn }) => ({ ref: formatRef({ kind: 'prompt', id }), turn })),
    ...summaries.map(({ id, turn }) => ({ ref: formatRef({ kind: 'summary', id }), turn })),
  ];
  if (!matched || new Set(all.map(({ turn }) => turn)).size <= SHORT_SESSION) return memories;
  const turns = all.filter(({ ref }) => matched.has(ref)).map(({ turn }) => turn);
  const isNear = ({ turn }: { turn: number }) =>
    turns.some((at) => turn >= at - TURNS_BEFORE && turn <= at + TURNS_AFTER);
  return {
    ...memories,
    observations: observations.filter(isNear),
    prompts: prompts.filter(isNear),
    summaries: summaries.filter(isNear),
  };
}

const SHORT_SESSION = 12;
/** A question is settled in the turns after it. */
const TURNS_BEFORE = 1;
const TURNS_AFTER = 3;
const MATCHED = 0.5;

/** Those of its memories that match nearly as well as the best of them. */
function matchedIn({ scored }: Found, sessionId: number): Set<string> {
  const own = scored.filter(({ candidate }) => candidate.sessionId === sessionId);
  const best = own.reduce((most, { score }) => Math.max(most, score), 0);
  const near = own.filter(({ score }) => score >= best * MATCHED);
  return new Set(near.map(({ candidate }) => formatRef({ kind: candidate.kind, id: candidate.ref })));
}

function toRecord({ main, title, lines }: Told, { sessionId, memories }: View, why: string[]): RecallRecord {
  const observation =
    main.ref.kind === 'observation' ? memories.observations.find(({ id }) => id === main.ref.id) : undefined;
  return {
    ref: main.ref,
    sessionId: observation?.sessionId ?? sessionId,
    at: main.at,
    type: observation?.type ?? main.ref.kind,
    title,
    lines,
    mark: null,
    why,
  };
}

function explain({ scored }: Found, { sessionId }: FoundSession): string[] {
  const best = scored.find(({ candidate }) => candidate.sessionId === sessionId);
  const words = best?.words.slice(0, 6).join(', ');
  const meaning = best?.likeness ? [`meaning ${best.likeness.toFixed(2)}`] : [];
  return [...(words ? [`words: ${words}`] : []), ...meaning];
}

/** Plain lines; each record begins at the margin, and all that belongs to it stands below, indented. */
export const renderRecall = ({ records }: Recall): string[] => records.flatMap(renderRecord);

function renderRecord({ ref, at, type, title, lines, mark }: RecallRecord): string[] {
  const head = `#${formatRef(ref)} ${formatDate(at)} ${type} ${plainLine(title, LINE_LENGTH)}${mark ? ` [${mark}]` : ''}`;
  return [head, ...lines.map((line) => `  ${plainLine(line, LINE_LENGTH)}`)];
}

const LINE_LENGTH = 900;

const lengthOf = (records: RecallRecord[]) => renderRecall({ records }).join('\n').length;

/** Escaped text is longer than it was: what is too much goes from the end. */
function fit(records: RecallRecord[]): RecallRecord[] {
  const kept = records.map((record) => ({ ...record, lines: [...record.lines] }));
  while (lengthOf(kept) > RECALL_LENGTH) {
    const last = kept.at(-1);
    if (!last) break;
    if (last.lines.length > 0) last.lines.pop();
    else kept.pop();
  }
  return kept;
}
