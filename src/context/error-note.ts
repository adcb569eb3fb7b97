// After an error that an earlier session met: what fixed it, else what the turns that met it did right after.
import type { Database } from 'bun:sqlite';
import { findTellingLines, readErrorLines, shapeOf } from '../core/error-mark.ts';
import { hashParts } from '../core/ids.ts';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import { renderRanked } from '../core/render.ts';
import type { Observation } from '../memory/observations.ts';
import { readRows } from '../memory/read.ts';
import { listHeld } from '../memory/trusted.ts';
import { textsOf } from '../turns/record.ts';
import { listTurnsWith, type TurnPlace } from '../turns/turns.ts';
import { fillNote, MOST_OF_ERROR, recallError, writeNote } from './known-notes.ts';
import { observed, type Piece, recordPiece } from './page.ts';
import { inPairs } from './pair-replaced.ts';
import { joinQuoted, readQuotable } from './quote.ts';
import { markOf, renderAbove, renderHead, sayDoubt } from './render.ts';
import { isAboutAny } from './surroundings.ts';
import type { TellDeps } from './tell.ts';

/** Its own memories a session knows; 0 for nobody's. */
type Asking = { projectId: number; sessionId: number; error: string };
type Place = { root: string; isExcluded: (path: string) => boolean };

const NOTE = { subject: 'this error, which was seen before', section: 'error' } as const;

/** `mark`: by which it was known, said once in a session. Null where it says too little to be known again. */
type ErrorNote = { mark: string; write: () => Promise<Piece[]> };

export function findErrorNote(deps: TellDeps, { root, isExcluded, ...asking }: Asking & Place): ErrorNote | null {
  const known = recallError(deps.db, asking);
  if (known) {
    const observations = known.observations.filter((one) => !isAboutAny(one, isExcluded));
    const query = { ...NOTE, observations, why: 'the same error', root, sessionId: asking.sessionId };
    return { mark: known.mark, write: () => writeNote(deps, query) };
  }
  const read = readErrorText(asking.error);
  if (!read) return null;
  const query = { ...asking, isExcluded, lines: read.text.split('\n') };
  return { mark: read.mark, write: async () => fillNote(listMet(deps.db, query).slice(0, MOST_OF_ERROR), NOTE) };
}

const FIRST_LINES = 2;
const LONGEST = 400;

/** The lines that tell what went wrong, else the first; null where it printed nothing. With that by which it is said once. */
export function readErrorText(error: string): { text: string; mark: string } | null {
  const lines = readErrorLines(error);
  const told = findTellingLines(lines);
  const text = (told.length > 0 ? told : lines.slice(0, FIRST_LINES)).join('\n').slice(0, LONGEST);
  return text === '' ? null : { text, mark: hashParts(['error', text]).slice(0, 16) };
}

type MetQuery = Omit<Asking, 'error'> & Pick<Place, 'isExcluded'> & { lines: string[] };

/** The turns that met it, the newest first: a record has what was printed, whether or not something came of it. */
function listMet(db: Database, { projectId, sessionId, isExcluded, lines }: MetQuery): Piece[][] {
  const met = lines.flatMap((line) => findMet(db, { projectId, exceptSession: sessionId, line }));
  const once = [...new Map(met.map((one) => [one.promptId, one])).values()].sort((one, other) => other.endedAt - one.endedAt);
  const held = listHeld(db, once.map(promptOf));
  return once.filter((one) => held.has(formatRef(promptOf(one)))).flatMap((one) => metPiece(db, one, isExcluded));
}

/** `isLine`: whether a line of a record is the one that it was met by. */
type Met = TurnPlace & { promptId: number; endedAt: number; isLine: (line: string) => boolean };
const promptOf = ({ promptId }: Met): MemoryRef => ({ kind: 'prompt', id: promptId });

/** Neither numbers nor quotes nor paths: the same each time. */
const CONSTANT = /[\p{L}_][\p{L}_ ]+/gu;
const SHORTEST = 8;
/** It comes back nearly word for word: what it is about may have another name. */
const SAME = 0.7;
const FEWEST_WORDS = 3;

/** By the longest piece that is the same each time, else the next, which is quick; then by most of the words of the line. */
function findMet(db: Database, { line, ...query }: { projectId: number; exceptSession: number; line: string }): Met[] {
  const words = shapeWords(line);
  if (words.size < FEWEST_WORDS) return [];
  const pieces = (line.match(CONSTANT) ?? []).sort((one, other) => other.length - one.length);
  for (const text of pieces.filter(({ length }) => length >= SHORTEST).slice(0, 2)) {
    const isLine = (met: string) => met.includes(text) && words.intersection(shapeWords(met)).size >= SAME * words.size;
    const found = listTurnsWith(db, { ...query, text }).filter(({ record, prompt }) => `${record}\n${prompt}`.split('\n').some(isLine));
    if (found.length > 0) return found.map((turn) => ({ ...turn, isLine }));
  }
  return [];
}

const shapeWords = (line: string) => new Set(shapeOf(line)?.match(/[\p{L}_$]{2,}/gu) ?? []);

const PASSAGE = 480;

/** Under the best memory of the turn, else under its prompt. */
function metPiece(db: Database, met: Met, isExcluded: Place['isExcluded']): Piece[][] {
  const found = readQuotable(db, promptOf(met), (one) => !isAboutAny(one, isExcluded));
  if (!found) return [];
  const { record, pieces, told } = found;
  const failed = record.steps.findIndex((step) => textsOf(step).join('\n').split('\n').some(met.isLine));
  const after = pieces.filter(({ at }) => at > failed);
  const words = joinQuoted(after, PASSAGE);
  if (words === '') return [];
  const why = { why: ['the same error'] };
  const [first] = told.sort((one, other) => worthOf(other) - worthOf(one));
  if (!first) {
    const [row] = readRows(db, [promptOf(met)]).values();
    return row ? [[recordPiece('error', promptOf(met), `${renderRanked([row]).join('\n')}\n  ${words}`, why)]] : [];
  }
  const [paired] = inPairs(db, [first]);
  if (!paired) return [];
  const best = paired.pair?.behind[0] ?? paired.observation;
  const newer =
    best === paired.observation ? [] : [recordPiece('error', observed(paired.observation.id), renderHead(paired.observation, null), why)];
  const doubt = told.map(({ id, replacedBy }) => (id === best.id ? undefined : replacedBy?.id)).find(Boolean);
  const lines = [...renderAbove(paired.pair), renderHead(best, null), `  ${markOf(best)}${words}${doubt ? sayDoubt(doubt) : ''}`];
  const inVain = told.filter((one) => one !== first && one.outcome === 'ruled-out');
  return [
    [
      ...newer,
      recordPiece('error', observed(best.id), lines.join('\n'), why),
      ...inVain.map((one) => recordPiece('error', observed(one.id), renderHead(one, null), { why: ['did not help'] })),
    ],
  ];
}

/** What was found out about the error before what was done beside it. */
const worthOf = ({ type, outcome }: Observation): number => Number(type === 'bugfix') * 2 + Number(outcome !== 'ruled-out');
