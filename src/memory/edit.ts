// What a person says of a memory: that it matters, that it is not so, what it should say, or which of two holds. Checked, cleaned as
// everything that is kept, and changed all at once.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import { INJECTED_TRUST, TRUST } from '../core/observation.ts';
import { makeClean } from '../core/plain-line.ts';
import type { CorrectionParameters, ReplaceParameters } from '../core/shapes/asked.ts';
import type { CorrectionAnswer, ReplaceAnswer } from '../core/shapes/memory.ts';
import { oneLine } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { readFirst } from '../store/read.ts';
import { keepModelAway } from './hide.ts';
import { CONTENT, readableText, readFacts, type StoredContent, writeContent } from './observations.ts';
import { readMemories, readRows } from './read.ts';
import { unsayInSummaries } from './repeats.ts';
import { doubtAgain, listReplacements, sayBothHold, sayHolds, sayReplaced, undoReplacement } from './replacements.ts';
import { renameSession } from './session-names.ts';

export function correct(db: Database, ref: MemoryRef, correction: CorrectionParameters, now: number): CorrectionAnswer {
  requirePerson(correction.by);
  const id = requireObservation(ref);
  const words = cleanWords(correction);
  const { pinned, wrong, supersededBy } = correction;
  const isReworded = Object.values(words).some((value) => value !== undefined);
  if (!isReworded && pinned === undefined && wrong === undefined && supersededBy === undefined)
    throw new AskError('invalid', 'Nothing is said about it.', `Give one of ${WHAT_CAN_BE_SAID}.`);
  return db
    .transaction(() => {
      requireThere(db, [ref]);
      if (isReworded) rewriteObservation(db, id, words, now);
      if (pinned !== undefined) db.query('UPDATE observations SET pinned = ? WHERE id = ?').run(Number(pinned), id);
      if (wrong !== undefined) markWrong(db, id, wrong ? now : null);
      if (supersededBy === null) sayHolds(db, id);
      else if (supersededBy !== undefined) replaceBy(db, ref, supersededBy, now);
      // What is only pinned stays beside what a model says of its turn.
      if (isReworded || wrong || supersededBy !== undefined) settle(db, id);
      const memory = readMemories(db, [ref]).get(formatRef(ref));
      if (!memory) throw new Error(`observation ${id} vanished while it was corrected`);
      return { memory };
    })
    .immediate();
}

const WHAT_CAN_BE_SAID = 'pinned, wrong, title, subtitle, narrative, facts, type, supersededBy';

/** What a model was talked into must not change what other sessions get. */
export function requirePerson(by: CorrectionParameters['by']): void {
  if (by === 'user') return;
  throw new AskError(
    'conflict',
    'Only a person may correct what is remembered.',
    'Ask them to run it in a terminal of their own: claude-mem pin, edit, replace, incorrect or block. ' +
      'An agent can note what holds with remember, and hide with forget.',
  );
}

function requireObservation(ref: MemoryRef): number {
  if (ref.kind === 'observation') return ref.id;
  const id = formatRef(ref);
  throw new AskError(
    'invalid',
    `${id} is a ${ref.kind}, and only observations can be corrected.`,
    `To take it away: claude-mem forget ${id}`,
  );
}

function requireThere(db: Database, refs: MemoryRef[]): void {
  const rows = readRows(db, refs);
  const missing = refs.find((ref) => !rows.has(formatRef(ref)));
  if (!missing) return;
  throw new AskError('unknown', `There is no memory ${formatRef(missing)}.`, 'It may be forgotten or hidden. Nothing was changed.');
}

type NewWords = Pick<CorrectionParameters, 'type' | 'title' | 'subtitle' | 'narrative' | 'facts'>;

const TITLE_LENGTH = 160;
const SUBTITLE_LENGTH = 400;

function cleanWords({ title, subtitle, narrative, facts, type }: CorrectionParameters): NewWords {
  const words: NewWords = type === undefined ? {} : { type };
  if (title !== undefined) words.title = oneLine(makeClean(title), TITLE_LENGTH);
  if (words.title === '') {
    const hint = 'Text inside <private>…</private> is never kept. To take the memory away: claude-mem forget.';
    throw new AskError('invalid', 'The title is empty, or all of it is private.', hint);
  }
  // Nothing is lost with it: an empty one is none.
  if (subtitle !== undefined) words.subtitle = oneLine(makeClean(subtitle ?? ''), SUBTITLE_LENGTH) || null;
  if (narrative !== undefined) words.narrative = narrative && makeClean(narrative);
  if (words.narrative === '') {
    const hint = 'Nothing was changed. To take the memory away: claude-mem forget.';
    throw new AskError('invalid', 'The text is empty, or all of it is private.', hint);
  }
  if (facts !== undefined) words.facts = facts.map(makeClean).filter(Boolean);
  return words;
}

export function markWrong(db: Database, id: number, at: number | null): void {
  db.query('UPDATE observations SET wrong_at = ? WHERE id = ?').run(at === null ? null : isoTime(at), id);
}

/** A model that is still to look at its turn would replace what a person has decided about. */
export const settle = (db: Database, id: number) => keepModelAway(db, { kind: 'observation', id }, 'a person corrected a memory of it');

type Stored = StoredContent & { trust: number; quarantined: number; sessionId: number | null; promptNumber: number | null };

/** The old words are kept nowhere. What stood below the title goes with a new title, unless the person says it anew. In a transaction. */
function rewriteObservation(db: Database, id: number, given: NewWords, at: number): void {
  const words = scrubValue(given).value;
  const sql = `SELECT ${CONTENT}, trust, quarantined, session_id AS sessionId, prompt_number AS promptNumber
    FROM observations WHERE id = ?`;
  const old = readFirst<Stored>(db, sql, id);
  if (!old) return;
  const { trust, quarantined, sessionId, promptNumber, ...content } = old;
  const [isReworded, isAllNew] = [hasNewWords(words), isNewThroughout(words, old)];
  const oldFacts = readFacts(old.facts);
  // A sentence that stays still rests on what it was read from.
  const facts = words.facts?.map((text) => oldFacts.find((fact) => fact.text === text) ?? { text, sources: [] }) ?? oldFacts;
  const next: StoredContent = {
    ...content,
    type: words.type ?? old.type,
    title: words.title ?? old.title,
    subtitle:
      words.subtitle ?? (words.subtitle === null || words.title !== undefined || words.narrative !== undefined ? null : old.subtitle),
    narrative: words.narrative === undefined ? old.narrative : words.narrative,
    facts: JSON.stringify(facts),
  };
  db.query(
    `UPDATE observations SET edited_at = $at, trust = $trust, quarantined = $isQuarantined,
       keywords = CASE WHEN $isReworded THEN NULL ELSE keywords END WHERE id = $id`,
  ).run({
    id,
    at: isoTime(at),
    isReworded: Number(isReworded),
    trust: isReworded && (isAllNew || trust >= INJECTED_TRUST) ? Math.max(trust, TRUST.user) : trust,
    isQuarantined: Number(quarantined === 1 && !isAllNew && readsLikeInstructions(readableText({ ...next, facts }))),
  });
  writeContent(db, id, next);
  if (!isReworded) return;
  // What sessions were given in the old words is not shown again.
  const said = listTexts(next);
  const unsaid = listTexts(content).filter((text) => !said.includes(text));
  db.query('UPDATE injections SET text = NULL WHERE observation_id = ?').run(id);
  unsayInSummaries(db, { sessionId, promptNumber, texts: unsaid });
  renameSession(db, { kind: 'observation', id }, unsaid);
}

const hasNewWords = ({ title, subtitle, narrative, facts }: NewWords) =>
  [title, subtitle, narrative, facts].some((said) => said !== undefined);

/** Nothing is left of what somebody else said: only then are words of an untrusted source a person's own. */
const isNewThroughout = (words: NewWords, old: StoredContent) =>
  words.title !== undefined &&
  (words.narrative !== undefined || old.narrative === null) &&
  (words.facts !== undefined || old.facts === '[]');

const listTexts = ({ title, subtitle, narrative, facts }: StoredContent): string[] =>
  [title, subtitle, narrative, ...readFacts(facts).map(({ text }) => text)].flatMap((text) => text ?? []);

/** The older name of `claude-mem replace`, for observations alone. */
function replaceBy(db: Database, ref: MemoryRef, text: string, now: number): void {
  const newer = parseRef(text);
  if (newer?.kind !== 'observation') {
    const hint = 'Give the id of an observation, like 123, or null if it still holds.';
    throw new AskError('invalid', `"${text.slice(0, 60)}" is not the id of an observation.`, hint);
  }
  requireThere(db, [newer]);
  replace(db, ref, newer, now);
}

/** The newer holds instead of the older, both hold, or the older is not replaced after all. */
export function replaceMemory(db: Database, said: ReplaceParameters, now: number): ReplaceAnswer {
  requirePerson(said.by);
  const older = readId(said.older);
  const newer = said.newer === undefined ? undefined : readId(said.newer);
  return db
    .transaction((): ReplaceAnswer => {
      requireThere(db, [older, ...(newer ? [newer] : [])]);
      const changed = said.undo ? undo(db, older, newer) : [replaceOrKeep(db, older, newer, { ...said, now })];
      for (const { kind, id } of [older, ...changed]) if (kind === 'observation') settle(db, id);
      const rows = readRows(db, [older, ...changed]);
      const [first, ...others] = [older, ...changed].flatMap((ref) => rows.get(formatRef(ref)) ?? []);
      if (!first) throw new Error(`${formatRef(older)} vanished while it was changed`);
      return { older: first, newer: others, state: said.undo || said.doubt ? 'undone' : said.bothHold ? 'both hold' : 'replaced' };
    })
    .immediate();
}

type Choice = Pick<ReplaceParameters, 'bothHold' | 'doubt'> & { now: number };

function replaceOrKeep(db: Database, older: MemoryRef, newer: MemoryRef | undefined, { bothHold, doubt, now }: Choice): MemoryRef {
  if (!newer) {
    const hint = `claude-mem replace ${formatRef(older)} NEW, or claude-mem replace ${formatRef(older)} --undo`;
    throw new AskError('invalid', 'It is not said what holds instead.', `Give the id of the newer one: ${hint}`);
  }
  requirePair(older, newer);
  if (doubt) doubtAgain(db, { older, newer, ...doubt, at: now });
  else if (bothHold) sayBothHold(db, older, newer, now);
  else replace(db, older, newer, now);
  return newer;
}

/** The newer memories of the pairs that changed. */
function undo(db: Database, older: MemoryRef, newer: MemoryRef | undefined): MemoryRef[] {
  const undone = undoReplacement(db, older, newer);
  if (undone.length > 0) return undone;
  const id = formatRef(older);
  throw new AskError('conflict', `#${id} is not replaced: there is nothing to undo.`, `claude-mem show ${id} says what replaces it.`);
}

function replace(db: Database, older: MemoryRef, newer: MemoryRef, now: number): void {
  requirePair(older, newer);
  const [was, is] = [formatRef(older), formatRef(newer)];
  if (!sayReplaced(db, older, newer, now)) {
    const hint = `To say that #${is} holds, first: claude-mem replace ${is} --undo`;
    throw new AskError('conflict', `#${is} is itself replaced by #${was}.`, `Nothing was changed. ${hint}`);
  }
  if (listReplacements(db, [older]).has(was)) return;
  const hint = `Nothing was changed. If it holds, first take its mark off: claude-mem show ${is}`;
  throw new AskError('conflict', `#${is} is marked incorrect or untrusted, so no session would get it.`, hint);
}

function requirePair(older: MemoryRef, newer: MemoryRef): void {
  if (newer.kind === 'summary') {
    const hint = 'Give the id of an observation (123) or of a prompt (P34), which stands for its turn.';
    throw new AskError('invalid', `${formatRef(newer)} is a summary: it replaces nothing.`, hint);
  }
  if (formatRef(older) !== formatRef(newer)) return;
  throw new AskError('conflict', 'Nothing replaces itself.', 'Nothing was changed. Give the id of the one that holds.');
}

function readId(text: string): MemoryRef {
  const ref = parseRef(text);
  if (ref) return ref;
  const hint = 'Give an id as search shows it: 123, P34 or S12.';
  throw new AskError('invalid', `"${text.slice(0, 60)}" is not the id of a memory.`, hint);
}
