// What a person corrects about an observation: checked, cleaned as everything that is kept, and changed all at once.
import type { Database } from 'bun:sqlite';
import { AskError } from '../../core/ask-error.ts';
import type { CorrectionAnswer, CorrectionParameters } from '../../core/correction.ts';
import { formatRef, type MemoryRef, parseRef } from '../../core/memory.ts';
import type { ObservationType } from '../../core/observation.ts';
import { oneLine } from '../../core/one-line.ts';
import {
  isCorrectable,
  markWrong,
  type NewWords,
  pinObservation,
  rewriteObservation,
  settle,
} from '../../store/memories/corrections.ts';
import { readMemories } from '../../store/memories/memories.ts';
import { isAbove, keepObservation, supersede } from '../../store/memories/supersession.ts';
import { makeClean } from './remember.ts';

export type Correction = Omit<CorrectionParameters, 'type'> & { type?: ObservationType | undefined };

export function correct(db: Database, ref: MemoryRef, correction: Correction, now: number): CorrectionAnswer {
  requirePerson(correction.by);
  const id = requireObservation(ref);
  const words = cleanWords(correction);
  const { pinned, wrong, supersededBy } = correction;
  const isReworded = Object.values(words).some((value) => value !== undefined);
  if (!isReworded && pinned === undefined && wrong === undefined && supersededBy === undefined) {
    throw new AskError('invalid', 'Nothing is said about it.', `Give one of ${WHAT_CAN_BE_SAID}.`);
  }
  return db
    .transaction(() => {
      requireThere(db, ref);
      if (isReworded) rewriteObservation(db, id, words, now);
      if (pinned !== undefined) pinObservation(db, id, pinned);
      if (wrong !== undefined) markWrong(db, id, wrong ? now : null);
      if (supersededBy === null) keepObservation(db, id);
      else if (supersededBy !== undefined) supersede(db, { older: id, newer: readNewer(db, id, supersededBy) });
      // What is only pinned stays beside what a model says of its turn.
      if (isReworded || wrong || supersededBy !== undefined) settle(db, id);
      const memory = readMemories(db, [ref]).get(formatRef(ref));
      if (!memory) throw new Error(`observation ${id} vanished while it was corrected`);
      return { memory };
    })
    .immediate();
}

const WHAT_CAN_BE_SAID = 'pinned, wrong, title, subtitle, narrative, facts, type, supersededBy';

/** What a model was talked into must not change what other sessions are told. */
export function requirePerson(by: CorrectionParameters['by']): void {
  if (by === 'user') return;
  throw new AskError(
    'conflict',
    'Only a person may correct what is remembered.',
    'Ask them to run it in a terminal of their own: claude-mem pin, edit, wrong or distrust. An agent can note what holds with remember, and hide with forget.',
  );
}

function requireObservation(ref: MemoryRef): number {
  if (ref.kind === 'observation') return ref.id;
  throw new AskError(
    'invalid',
    `${formatRef(ref)} is a ${ref.kind}, and only observations can be corrected.`,
    `To take it away: claude-mem forget ${formatRef(ref)}`,
  );
}

function requireThere(db: Database, ref: MemoryRef): void {
  if (ref.kind === 'observation' && isCorrectable(db, ref.id)) return;
  throw new AskError(
    'unknown',
    `There is no memory ${formatRef(ref)}.`,
    'It may be forgotten or hidden. Nothing was changed.',
  );
}

function cleanWords({ title, subtitle, narrative, facts, type }: Correction): NewWords {
  const words: NewWords = { type };
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

const TITLE_LENGTH = 160;
const SUBTITLE_LENGTH = 400;

function readNewer(db: Database, id: number, text: string): number {
  const ref = parseRef(text);
  if (ref?.kind !== 'observation') {
    const hint = 'Give the id of an observation, like 123, or null if it still holds.';
    throw new AskError('invalid', `"${text.slice(0, 60)}" is not the id of an observation.`, hint);
  }
  requireThere(db, ref);
  if (isAbove(db, { id: ref.id, other: id })) {
    const isSame = ref.id === id;
    throw new AskError(
      'conflict',
      isSame ? 'Nothing supersedes itself.' : `#${ref.id} is itself superseded by #${id}.`,
      `Nothing was changed. ${isSame ? 'Give the id of the one that holds instead.' : `To say that #${ref.id} holds, first: claude-mem edit ${ref.id} --holds`}`,
    );
  }
  return ref.id;
}
