// What was chosen, laid out: sections in the order they are worth reading, each memory a record of its own.
import type { ContextSection, ToldRecord } from '../core/context.ts';
import { formatFreshness } from '../core/freshness.ts';
import { formatDate } from '../core/local-time.ts';
import { formatRef } from '../core/memory.ts';
import { quote } from '../core/quote.ts';
import { estimateTokens } from '../core/tokens.ts';
import type { ToldKind, ToldPiece } from '../store/trust/tellings.ts';
import type { Chosen, Told } from './choose.ts';
import type { Pair } from './pair-replaced.ts';
import {
  type FrameOptions,
  frameStart,
  renderAbove,
  renderFile,
  renderFull,
  renderLine,
  renderOlder,
  renderSession,
  renderStep,
  renderSummary,
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
export type PageOptions = FrameOptions & { withSteps: boolean; rules: Piece[] };

const HEADINGS: Record<ContextSection, string> = {
  summary: '## Last summary',
  open: '## Left to do',
  everywhere: '## In every project',
  useful: '## Most useful',
  index: '## More, by date',
  sessions: '## Recent sessions',
};

export function layOut(chosen: Chosen, options: PageOptions): Piece[] {
  const { summary, open, everywhere, observations, sessions } = chosen;
  const full = observations.filter(({ level }) => level === 'full').sort(byValue);
  const lines = observations.filter(({ level }) => level === 'line');
  const sections: [ContextSection, Piece[]][] = [
    ['summary', summary ? [summaryPiece(summary, options)] : []],
    ['open', open.map(stepPiece)],
    ['everywhere', everywhere.flatMap((told) => fullPieces(told, 'everywhere'))],
    ['useful', full.flatMap((told) => fullPieces(told, 'useful'))],
    ['index', layOutIndex(lines)],
    ['sessions', sessions.map(sessionPiece)],
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

function summaryPiece(summary: NonNullable<Chosen['summary']>, { withSteps }: PageOptions): Piece {
  const text = renderSummary(summary, { withSteps }).join('\n');
  const ref = { kind: 'summary', id: summary.id } as const;
  return { text, section: 'summary', record: { ref, own: text, freshness: null, why: ['last summary'], value: 60 } };
}

function stepPiece(step: Chosen['open'][number]): Piece {
  const text = renderStep(step).join('\n');
  const ref = { kind: 'prompt', id: Number(step.ref.slice(1)) } as const;
  return { text, section: 'open', record: { ref, own: text, freshness: null, why: ['open next step'], value: 4 } };
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

function sessionPiece(session: Chosen['sessions'][number]): Piece {
  const text = renderSession(session);
  const ref = { kind: 'session', id: session.id } as const;
  return { text, section: 'sessions', record: { ref, own: text, freshness: null, why: ['recent session'], value: 1 } };
}

/** For whoever asks why. */
export const describePieces = (pieces: Piece[], sessionName: (id: number) => string): ToldRecord[] =>
  pieces.flatMap(({ section, record }) => {
    if (!record) return [];
    const { ref, own, freshness, why, value } = record;
    const id = ref.kind === 'session' ? sessionName(ref.id) : formatRef({ kind: ref.kind, id: ref.id });
    return [
      { id, kind: ref.kind, section, text: own, tokens: estimateTokens(own), freshness, why, value: round(value) },
    ];
  });

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
