// What was chosen, laid out: sections in the order they are worth reading, each memory a record of its own.
import type { Database } from 'bun:sqlite';
import { hostSessionId, type RecentSession } from '../capture/sessions.ts';
import type { ContextSection } from '../core/context.ts';
import type { Freshness } from '../core/evidence.ts';
import { formatRef } from '../core/memory.ts';
import { quote } from '../core/plain-line.ts';
import type { ToldRecord } from '../core/shapes/context.ts';
import { estimateTokens } from '../core/text.ts';
import { readLastGiven, type ToldKind, type ToldPiece } from '../memory/injections.ts';
import type { StoredStep } from '../memory/open-steps.ts';
import { listReplacedBy } from '../memory/replacements.ts';
import type { Chosen, Told } from './choose.ts';
import {
  type FrameOptions,
  frameStart,
  type Render,
  type Renderer,
  renderAbove,
  renderHead,
  renderLast,
  renderSaid,
  renderSession,
  renderStep,
} from './render.ts';

/** A piece of the page; what is a record can be explained. */
export type Piece = { text: string; section: ContextSection | ToldRecord['section']; record: PieceRecord | null };
type PieceRecord = {
  ref: { kind: ToldKind; id: number };
  /** Exactly its own lines, without the headings above them. */
  own: string;
  freshness: string | null;
  why: string[];
  value: number;
};

type Explained = { why: string[]; value?: number; freshness?: Freshness | null };

/** `ref`: what it is written by. */
export const recordPiece = (section: Piece['section'], ref: PieceRecord['ref'], own: string, explained: Explained): Piece => {
  const { why, value = 0, freshness } = explained;
  return { text: own, section, record: { ref, own, freshness: freshness?.word ?? null, why, value } };
};

export const observed = (id: number) => ({ kind: 'observation', id }) as const;

/** `rules`: the section that comes first, with its heading (rules.ts). */
type PageOptions = FrameOptions & { rules: Piece[]; render: Renderer };

const HEADINGS: Record<ContextSection, string> = {
  summary: '## Last session',
  open: '## Left to do',
  everywhere: '## In every project',
  decisions: '## Decided',
  here: '## About this branch and the files at hand',
  useful: '## Most useful',
  index: '## More',
  sessions: '## Recent sessions',
};

export function layOut(chosen: Chosen, options: PageOptions): Piece[] {
  const { last, open, everywhere, observations, sessions } = chosen;
  const { rules, render } = options;
  const write = (one: Told, section: ContextSection, above: Told | null = null): Piece[] => [
    ...toldPieces(one, section, (observation, freshness) => render(observation, freshness, one.sentences, above?.observation)),
    ...one.beside.flatMap((other) => write(other, section, one)),
  ];
  const of = (section: ContextSection) => observations.filter((one) => one.section === section);
  const inSection = (section: ContextSection): [ContextSection, Piece[]] => [
    section,
    of(section)
      .sort(byValue)
      .flatMap((one) => write(one, section)),
  ];
  const done = of('summary').map((one) => ({ ...one, why: ['last session', ...one.why] }));
  const sections: [ContextSection, Piece[]][] = [
    ['summary', layOutLast(last, done, (one) => write(one, 'summary'))],
    ['open', open.map((step) => stepPiece(step, 'open', 4))],
    ['everywhere', everywhere.flatMap((one) => write(one, 'everywhere'))],
    inSection('decisions'),
    inSection('here'),
    inSection('useful'),
    ['index', of('index').flatMap((one) => write(one, 'index'))],
    ['sessions', sessions.map((one) => sessionPiece(one, 'sessions', renderSession(one)))],
  ];
  const filled = sections.filter(([, pieces]) => pieces.length > 0);
  if (filled.length === 0) return rules;
  return [
    ...rules,
    { text: `${rules.length > 0 ? '\n' : ''}${frameStart(options).join('\n')}`, section: 'summary', record: null },
    ...filled.flatMap(([section, pieces]) => [{ text: `\n${HEADINGS[section]}`, section, record: null }, ...pieces]),
  ];
}

const byValue = (one: Told, other: Told) => other.value - one.value || other.observation.id - one.observation.id;

/** The whole text as it is handed over: '' for an empty page. */
export const joinPieces = (pieces: Pick<Piece, 'text'>[]) => (pieces.length > 0 ? quote(pieces.map(({ text }) => text)) : '');

/** What it was, and what it did: nothing where neither is known. */
function layOutLast(last: Chosen['last'], done: Told[], write: (one: Told) => Piece[]): Piece[] {
  if (!last || (done.length + last.said.length === 0 && !last.title)) return [];
  const { title } = last;
  const told = done.flatMap(({ observation, beside }) => [observation, ...beside.map((one) => one.observation)]);
  const isSaidBelow = told.some((one) => one.title && title?.includes(one.title));
  const head = sessionPiece(last, 'summary', renderLast(last, isSaidBelow));
  const said = last.said.map((row) =>
    recordPiece('summary', { kind: 'summary', id: Number(row.id.slice(1)) }, renderSaid(row), { why: ['last session'], value: 60 }),
  );
  return [head, ...done.flatMap(write), ...said];
}

export const stepPiece = (step: StoredStep, section: Piece['section'], value = 0): Piece =>
  recordPiece(section, { kind: 'prompt', id: Number(step.ref.slice(1)) }, renderStep(step), { why: ['open next step'], value });

/** With the turn that may replace it above, and what it may replace behind it. */
export function toldPieces(
  told: Omit<Told, 'section' | 'sentences' | 'beside'>,
  section: Piece['section'],
  render: Render,
  renderOlder: Render = (older) => [renderHead(older, null)],
): Piece[] {
  const { observation, freshness, pair } = told;
  const text = [...renderAbove(pair), ...render(observation, freshness)].join('\n');
  const behind = (pair?.behind ?? []).map((older) =>
    recordPiece(section, observed(older.id), renderOlder(older, null).join('\n'), { why: ['may be replaced'] }),
  );
  return [recordPiece(section, observed(observation.id), text, told), ...behind];
}

const sessionPiece = (session: RecentSession, section: ContextSection, text: string): Piece =>
  recordPiece(section, { kind: 'session', id: session.id }, text, {
    why: [section === 'summary' ? 'last session' : 'recent session'],
    value: 1,
  });

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
