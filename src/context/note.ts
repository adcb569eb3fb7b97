// A note in the middle of a session: a few records in the calm frame, within so many characters, or nothing.

import { type Freshness, isOutdated } from '../core/evidence.ts';

import type { Observation } from '../memory/observations.ts';
import { joinPieces, type Piece, toldPieces } from './page.ts';
import type { Pair } from './pair-replaced.ts';
import { frameNote, renderFull, renderHead } from './render.ts';

type Note = {
  /** What it is about, in a few words. */
  subject: string;
  section: Piece['section'];
};

type NoteQuery = Note & {
  /** Those that the session was told in full before: a line is enough to bring them to mind. */
  known: ReadonlySet<number>;
  observations: { observation: Observation; pair: Pair | null }[];
  freshness: Map<number, Freshness>;
  why: string;
};

const MOST_CHARACTERS = 1500;

/** Whole results, as long as there is room: what may be replaced is not told without what may replace it. [] when there is none. */
export function fillNote(results: Piece[][], { subject, section }: Note): Piece[] {
  let pieces: Piece[] = [{ text: frameNote(subject), section, record: null }];
  for (const result of results) {
    const next = [...pieces, ...result.map((piece) => ({ ...piece, section }))];
    if (joinPieces(next).length <= MOST_CHARACTERS) pieces = next;
  }
  return pieces.length > 1 ? pieces : [];
}

/** What the code has overtaken is left out, but for what was ruled out: that is said because the code shows nothing of it. */
export function writeNote({ observations, freshness, known, why, ...note }: NoteQuery): Piece[] {
  const results = observations.flatMap(({ observation, pair }): Piece[][] => {
    const state = freshness.get(observation.id) ?? null;
    if (state && isOutdated(state) && observation.outcome !== 'ruled-out') return [];
    const isShort = known.has(observation.id) || pair?.above;
    const render = isShort ? (...one: Parameters<typeof renderFull>) => [renderHead(...one)] : renderFull;
    return [toldPieces({ observation, pair, freshness: state, why: [why], value: 0 }, note.section, render)];
  });
  return fillNote(results, note);
}
