// A note in the middle of a session: a few records in the calm frame, within so many characters, or nothing.
import type { ToldRecord } from '../core/context.ts';
import type { Freshness } from '../core/freshness.ts';
import { formatFreshness, isOutdated } from '../core/freshness.ts';
import type { Observation } from '../store/memories/observations.ts';
import { behindPieces, joinPieces, type Piece } from './page.ts';
import type { Pair } from './pair-replaced.ts';
import { frameNote, renderAbove, renderFull, renderOlder } from './render.ts';

export type NoteQuery = {
  /** What it is about, in a few words. */
  subject: string;
  /** Those that the session was told in full before: a line is enough to bring them to mind. */
  known: ReadonlySet<number>;
  section: ToldRecord['section'];
  observations: { observation: Observation; pair: Pair | null }[];
  freshness: Map<number, Freshness>;
  why: string;
};

export const MOST_CHARACTERS = 1500;

/** Whole results, as long as there is room. [] when there is none. */
export function fillNote(results: Piece[][], { subject, section }: Pick<NoteQuery, 'subject' | 'section'>): Piece[] {
  let pieces: Piece[] = [{ text: frameNote(subject).join('\n'), section, record: null }];
  for (const result of results) {
    const next = [...pieces, ...result.map((piece) => ({ ...piece, section }))];
    if (joinPieces(next).length <= MOST_CHARACTERS) pieces = next;
  }
  return pieces.length > 1 ? pieces : [];
}

/** What the code has overtaken is left out, but for what was ruled out. [] when nothing is left. */
export function writeNote(query: NoteQuery): Piece[] {
  const { subject, section, observations, freshness, known, why } = query;
  const frame: Piece = { text: frameNote(subject).join('\n'), section, record: null };
  const pieces: Piece[] = [frame];
  for (const { observation, pair } of observations) {
    const state = freshness.get(observation.id) ?? null;
    // That something was tried in vain is said because the code shows nothing of it.
    if (state && isOutdated(state) && observation.outcome !== 'ruled-out') continue;
    const lines = pair?.above ? [...renderAbove(pair), renderOlder(observation)] : renderFull(observation, state);
    const own = (known.has(observation.id) && !pair?.above ? lines.slice(0, 1) : lines).join('\n');
    const ref = { kind: 'observation', id: observation.id } as const;
    const record = { ref, own, freshness: state && formatFreshness(state), why: [why], value: 0 };
    const next: Piece = { text: own, section, record };
    for (const piece of [next, ...behindPieces(pair, section)])
      if (joinPieces([...pieces, piece]).length <= MOST_CHARACTERS) pieces.push(piece);
      // What may be replaced is not told without what may replace it.
      else break;
  }
  return pieces.length > 1 ? pieces : [];
}
