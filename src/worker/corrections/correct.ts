// What a person corrects about an observation: checked, cleaned as everything that is kept, and changed all at once.
import type { Database } from 'bun:sqlite';
import { AskError } from '../../core/ask-error.ts';
import type { CorrectionAnswer, CorrectionParameters } from '../../core/correction.ts';
import { formatRef, type MemoryRef, parseRef } from '../../core/memory.ts';
import type { ObservationType } from '../../core/observation.ts';
import { oneLine } from '../../core/one-line.ts';
import { sayHolds } from '../../memory/replacements.ts';
import {
  isCorrectable,
  markWrong,
  type NewWords,
  pinObservation,
  rewriteObservation,
  settle,
} from '../../store/memories/corrections.ts';
import { readMemories } from '../../store/memories/memories.ts';
import { makeClean } from './remember.ts';
import { replace } from './replace.ts';
import { requirePerson } from './require-person.ts';

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

/** The older name of `claude-mem replace`, for observations alone. */
function replaceBy(db: Database, ref: MemoryRef, text: string, now: number): void {
  const newer = parseRef(text);
  if (newer?.kind !== 'observation') {
    const hint = 'Give the id of an observation, like 123, or null if it still holds.';
    throw new AskError('invalid', `"${text.slice(0, 60)}" is not the id of an observation.`, hint);
  }
  requireThere(db, newer);
  replace(db, ref, newer, now);
}
