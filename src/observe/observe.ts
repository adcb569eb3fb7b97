// A turn → what is worth remembering of it, by structure: the places where the words stand, not the words.
import { cleanPrompt } from '../core/clean-prompt.ts';
import type { Batch, ObservationDraft, Observed } from '../core/observation.ts';
import { repeats } from '../search/alike.ts';
import { buildBatch } from '../turns/build.ts';
import { readRecord } from '../turns/record.ts';
import { observeDecisions } from './decision.ts';
import { observeAttempts, observeDiscovery } from './discovery.ts';
import { type Draft, PROMPT } from './draft.ts';
import { nameResult, nameSession, summarize } from './summary.ts';
import { subjectOfFile } from './title.ts';
import type { ObservedTurn } from './turn.ts';
import { type Committed, observeUndone, observeWork } from './work.ts';

/** `before`: the turn that came right before it, if any. `later`: the commits since that hold its work alone. */
export function observeTurn(turn: ObservedTurn, before: ObservedTurn | null, later: Committed[] = []): Draft[] {
  const decisions = observeDecisions(turn, before);
  const stated = decisions.filter(({ steps: [at = PROMPT] }) => !['planned', 'asked'].includes(turn.record.steps[at]?.kind ?? ''));
  const work = observeWork(turn, later).filter((draft) => !stated.some((decision) => saysAll(decision, draft)));
  const attempts = [...observeUndone(turn), ...observeAttempts(turn)];
  const discoveries = observeDiscovery(turn, [...decisions, ...work, ...attempts]);
  return [...decisions, ...work, ...attempts, ...discoveries];
}

/** A small change that only carries out what was stated, in its words, is told with it. A plan or an answer is older than the work. */
const saysAll = (decision: Draft, { type, title, filesModified }: Draft): boolean =>
  type === 'change' && repeats(decision.title, title) && filesModified.every((file) => decision.filesModified.includes(file));

/** The events of one turn, or of a part of one. */
export function observeBatch(batch: Batch): Observed {
  const { events, session, before = [] } = batch;
  const { turn, sourcesOf } = readTurn(batch);
  const last = before.at(-1);
  const drafts = observeTurn(turn, last ? { prompt: cleanPrompt(last.prompt), record: readRecord(last.record) } : null);
  const endedAt = events.reduce((latest, { at }) => Math.max(latest, at), 0);
  const end = events.findLast(({ kind }) => kind === 'stop' || kind === 'end');
  return {
    observations: drafts.map((draft) => toObservation(draft, endedAt, sourcesOf)),
    summary: end ? summarize(turn, drafts, end.at) : null,
    title: session.title ?? nameSession(cleanPrompt(session.firstPrompt ?? turn.prompt), drafts),
    subtitle: nameResult(drafts),
  };
}

type ReadTurn = { turn: ObservedTurn; sourcesOf: (steps: number[]) => string[] };

function readTurn(batch: Batch): ReadTurn {
  const { record, sources, closingId } = buildBatch(batch);
  const prompts = batch.events.flatMap((event) => (event.kind === 'prompt' ? [event] : []));
  const prompt = prompts.map(({ text }) => cleanPrompt(text)).filter(Boolean);
  const idsAt = (at: number) => (at === PROMPT ? prompts.map(({ id }) => id) : [sources[at] ?? closingId ?? []].flat());
  return { turn: { prompt: prompt.join('\n\n'), record }, sourcesOf: (steps) => [...new Set(steps.flatMap(idsAt))] };
}

/** `at`: when its turn ended. `sourcesOf`: the events that steps tell of, where they are known. */
export function toObservation(draft: Draft, at: number, sourcesOf: (steps: number[]) => string[]): ObservationDraft {
  const { type, title, filesModified, filesRead, outcome, by } = draft;
  return {
    type,
    title,
    subtitle: null,
    narrative: null,
    facts: draft.facts.map((fact) => ({ text: fact.text, sources: sourcesOf([fact.at]) })),
    concepts: [...new Set([CONCEPT[type], ...filesModified.slice(0, 4).map((file) => subjectOfFile(file).toLowerCase())])],
    filesRead,
    filesModified: filesModified.slice(0, MOST_FILES),
    outcome,
    origin: by,
    sources: sourcesOf([...new Set([...draft.steps, ...draft.facts.map((fact) => fact.at)])]),
    at,
    isRule: draft.isRule,
    steps: draft.steps,
  };
}

const MOST_FILES = 40;

const CONCEPT: Record<Draft['type'], string> = {
  decision: 'trade-off',
  bugfix: 'problem-solution',
  feature: 'what-changed',
  refactor: 'what-changed',
  discovery: 'how-it-works',
  change: 'what-changed',
};
