// What was chosen, laid out: sections in the order they are worth reading, each memory a record of its own.
import type { Database } from 'bun:sqlite';
import type { ContextSection, ToldRecord } from '../core/context.ts';
import { formatFreshness } from '../core/freshness.ts';
import { formatDate } from '../core/local-time.ts';
import { formatRef } from '../core/memory.ts';
import { quote } from '../core/quote.ts';
import { estimateTokens } from '../core/tokens.ts';
import { listReplacedBy } from '../memory/replacements.ts';
import { hostSessionId, type RecentSession } from '../store/sessions/sessions.ts';
import { readLastGiven, type ToldKind, type ToldPiece } from '../store/trust/tellings.ts';
import type { Chosen, Told } from './choose.ts';
import type { Pair } from './pair-replaced.ts';
import {
  type FrameOptions,
  frameStart,
  renderAbove,
  renderDone,
  renderFile,
  renderFull,
  renderLast,
  renderLine,
  renderOlder,
  renderSaid,
  renderSession,
  renderStep,
} from './render.ts';

/** A piece of the page; what is a record can be explained. */
export type Piece = { text: string; section: ContextSection | ToldRecord['section']; record: PieceRecord | null };
export type PieceRecord = {
  ref: { kind: ToldKind; id: number };
  /** Exactly its own lines, without the headings above them. */
  own: string;
  freshness: string | null;
  why: string[];
  value: number;
};

/** `rules`: the section that comes first, with its heading (rules-section.ts). */
export type PageOptions = FrameOptions & { rules: Piece[] };

const HEADINGS: Record<ContextSection, string> = {
  summary: '## Last session',
  open: '## Left to do',
  everywhere: '## In every project',
  decisions: '## Decided',
  here: '## About this branch and the files at hand',
  useful: '## Most useful',
  index: '## More, by date',
  sessions: '## Recent sessions',
};

export function layOut(chosen: Chosen, options: PageOptions): Piece[] {
  const { last, open, everywhere, observations, sessions } = chosen;
  const inFull = (section: ContextSection): [ContextSection, Piece[]] => {
    const told = observations.filter((one) => one.level === 'full' && one.section === section).sort(byValue);
    return [section, told.flatMap((one) => fullPieces(one, section))];
  };
  const done = observations.filter(({ section }) => section === 'summary');
  const lines = observations.filter(({ section }) => section === 'index');
  const sections: [ContextSection, Piece[]][] = [
    ['summary', layOutLast(last, done)],
    ['open', open.map(stepPiece)],
    ['everywhere', everywhere.flatMap((told) => fullPieces(told, 'everywhere'))],
    inFull('decisions'),
    inFull('here'),
    inFull('useful'),
    ['index', layOutIndex(lines)],
    ['sessions', sessions.map((session) => sessionPiece(session, 'sessions'))],
  ];
  const filled = sections.filter(([, pieces]) => pieces.length > 0);
  const { rules } = options;
  if (filled.length === 0) return rules;
  return [
    ...rules,
    { text: `${rules.length > 0 ? '\n' : ''}${frameStart(options).join('\n')}`, section: 'summary', record: null },
    ...filled.flatMap(([section, pieces]) => [{ text: `\n${HEADINGS[section]}`, section, record: null }, ...pieces]),
  ];
}

const byValue = (one: Told, other: Told) => other.value - one.value || other.observation.id - one.observation.id;

/** The whole text as it is handed over: '' for an empty page. */
export const joinPieces = (pieces: Pick<Piece, 'text'>[]) =>
  pieces.length > 0 ? quote(pieces.map(({ text }) => text)) : '';

/** What it was, and what it did: nothing where neither is known. */
function layOutLast(last: Chosen['last'], done: Told[]): Piece[] {
  if (!last || (done.length + last.said.length === 0 && !last.title)) return [];
  const { title } = last;
  const isSaidBelow = done.some(({ observation }) => observation.title && title?.includes(observation.title));
  const head = sessionPiece(last, 'summary', renderLast(last, isSaidBelow));
  const said = last.said.map((row): Piece => {
    const text = renderSaid(row);
    const ref = { kind: 'summary', id: Number(row.id.slice(1)) } as const;
    return { text, section: 'summary', record: { ref, own: text, freshness: null, why: ['last session'], value: 60 } };
  });
  return [head, ...done.flatMap((told) => donePieces(told, 'summary')), ...said];
}

function stepPiece(step: Chosen['open'][number]): Piece {
  const text = renderStep(step).join('\n');
  const ref = { kind: 'prompt', id: Number(step.ref.slice(1)) } as const;
  return { text, section: 'open', record: { ref, own: text, freshness: null, why: ['open next step'], value: 4 } };
}

function donePieces(told: Told, section: ContextSection): Piece[] {
  const { observation, freshness, pair, why } = told;
  const text = [...(pair ? renderAbove(pair) : []), ...renderDone(observation, freshness)].join('\n');
  const record = recordOf({ ...told, why: ['last session', ...why] }, text);
  return [{ text, section, record }, ...behindPieces(pair, section)];
}

function fullPieces(told: Told, section: ContextSection): Piece[] {
  const text = renderFull(told.observation, told.freshness).join('\n');
  return [{ text, section, record: recordOf(told, text) }, ...behindPieces(told.pair, section)];
}

/** What a memory may replace, on lines of their own. */
export const behindPieces = (pair: Pair | null, section: Piece['section']): Piece[] =>
  (pair?.behind ?? []).map((older) => {
    const text = renderOlder(older);
    const ref = { kind: 'observation', id: older.id } as const;
    return { text, section, record: { ref, own: text, freshness: null, why: ['may be replaced'], value: 0 } };
  });

function recordOf({ observation, freshness, why, value }: Told, own: string): PieceRecord {
  return {
    ref: { kind: 'observation', id: observation.id },
    own,
    freshness: freshness && formatFreshness(freshness),
    why,
    value,
  };
}

/** Under its date and its file, which are said once; what is about no file comes first, so that it does not seem to be about one. */
function layOutIndex(lines: Told[]): Piece[] {
  const days = Map.groupBy(lines, ({ observation }) => formatDate(observation.at));
  return [...days].flatMap(([day, told]) => {
    const files = Map.groupBy(told, fileOf);
    const ordered = [...files].sort(([one], [other]) => Number(one !== '') - Number(other !== ''));
    const rows = ordered.flatMap(([file, those]) => those.map((one, at) => ({ one, file: at === 0 ? file : '' })));
    return rows.flatMap(({ one, file }, at): Piece[] => {
      const own = [...(one.pair ? renderAbove(one.pair) : []), renderLine(one.observation, one.freshness)].join('\n');
      const above = [...(at === 0 ? [`### ${day}`] : []), ...(file ? [renderFile(file)] : [])];
      const piece: Piece = { text: [...above, own].join('\n'), section: 'index', record: recordOf(one, own) };
      return [piece, ...behindPieces(one.pair, 'index')];
    });
  });
}

const fileOf = ({ observation }: Told) => observation.filesModified[0] ?? observation.filesRead[0] ?? '';

function sessionPiece(session: RecentSession, section: ContextSection, text = renderSession(session)): Piece {
  const ref = { kind: 'session', id: session.id } as const;
  const why = [section === 'summary' ? 'last session' : 'recent session'];
  return { text, section, record: { ref, own: text, freshness: null, why, value: 1 } };
}

/** For whoever asks why. */
export function describePieces(db: Database, pieces: Piece[]): ToldRecord[] {
  const told = pieces.flatMap(({ section, record }) => (record ? [{ section, ...record }] : []));
  const ids = told.flatMap(({ ref }) => (ref.kind === 'observation' ? [ref.id] : []));
  const [replaced, given] = [listReplacedBy(db, ids), readLastGiven(db, ids)];
  return told.map(({ section, ref, own, freshness, why, value }) => {
    const isObservation = ref.kind === 'observation';
    return {
      id: ref.kind === 'session' ? hostSessionId(db, ref.id) : formatRef({ kind: ref.kind, id: ref.id }),
      kind: ref.kind,
      section,
      text: own,
      tokens: estimateTokens(own),
      freshness,
      why,
      value: round(value),
      replaced: (isObservation && replaced.get(ref.id)) || [],
      lastGivenAt: (isObservation && given.get(ref.id)) || null,
    };
  });
}

const round = (value: number) => Math.round(value * 100) / 100;

/** For the record of what was told. */
export const toToldPieces = (pieces: Piece[]): ToldPiece[] =>
  pieces.map(({ text, section, record }) => ({
    ref: record?.ref ?? null,
    section,
    text,
    freshness: record?.freshness ?? null,
    reason: record?.why.join(', ') ?? '',
  }));
