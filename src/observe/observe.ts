// A turn → what is worth remembering of it, by structure: the places where the words stand, not the words.
import type { Batch, Distilled } from '../core/batch.ts';
import { cleanPrompt } from '../core/clean-prompt.ts';
import type { SessionEvent } from '../core/event.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { buildWithSources } from '../turns/build.ts';
import { readRecord } from '../turns/record.ts';
import { observeDecisions } from './decision.ts';
import { observeAttempts, observeDiscovery } from './discovery.ts';
import { type Draft, PROMPT } from './draft.ts';
import { nameResult, nameSession, summarize } from './summary.ts';
import { subjectOfFile } from './title.ts';
import type { ObservedTurn, TurnInPlace } from './turn.ts';
import { observeUndone, observeWork } from './work.ts';

export function observeTurn(place: TurnInPlace): Draft[] {
  const decisions = observeDecisions(place);
  const work = observeWork(place).filter((draft) => !decisions.some((decision) => saysAll(decision, draft)));
  const attempts = [...observeUndone(place), ...observeAttempts(place)];
  const discoveries = observeDiscovery(place, [...decisions, ...work, ...attempts]);
  return [...decisions, ...work, ...attempts, ...discoveries];
}

/** A small change that only carries out a decision is told with it. */
function saysAll(decision: Draft, work: Draft): boolean {
  if (work.type === 'bugfix' || work.type === 'feature' || decision.filesModified.length === 0) return false;
  return work.filesModified.every((file) => decision.filesModified.includes(file)) && work.filesModified.length <= 2;
}

/** Events that wait together are mostly one turn, and may be several: each is read with the ones before it. */
export function observeBatch(batch: Batch): Distilled {
  const before = (batch.before ?? []).map(({ prompt, record }) => ({
    prompt: cleanPrompt(prompt),
    record: readRecord(record),
  }));
  const drafts: Draft[] = [];
  const observations: ObservationDraft[] = [];
  let last: ObservedTurn | null = null;
  for (const events of splitTurns(batch.events)) {
    const { turn, sourcesOf } = readTurn(events, batch.project.root);
    const found = observeTurn({ turn, before, next: null });
    const endedAt = events.reduce((latest, { at }) => Math.max(latest, at), 0);
    observations.push(...found.map((draft) => toObservation(draft, endedAt, sourcesOf)));
    drafts.push(...found);
    before.push(turn);
    last = turn;
  }
  const end = batch.events.findLast(({ kind }) => kind === 'stop' || kind === 'end');
  return {
    observations,
    summary: end && last ? summarize(last, drafts, end.at) : null,
    title: batch.session.title ?? nameSession(cleanPrompt(batch.session.firstPrompt ?? last?.prompt ?? ''), drafts),
    subtitle: nameResult(drafts),
  };
}

/** After each stop; what ends the session right after one belongs to it. */
function splitTurns(events: SessionEvent[]): SessionEvent[][] {
  const turns: SessionEvent[][] = [];
  let open: SessionEvent[] = [];
  for (const [at, event] of events.entries()) {
    open.push(event);
    if (event.kind !== 'stop' || events[at + 1]?.kind === 'end') continue;
    turns.push(open);
    open = [];
  }
  return open.length > 0 ? [...turns, open] : turns;
}

type ReadTurn = { turn: ObservedTurn; sourcesOf: (steps: number[]) => string[] };

function readTurn(events: SessionEvent[], root: string): ReadTurn {
  const { record, sources, closingId } = buildWithSources(events, root);
  const prompts = events.flatMap((event) => (event.kind === 'prompt' ? [event] : []));
  const prompt = prompts.map(({ text }) => cleanPrompt(text)).filter(Boolean);
  const sourcesOf = (steps: number[]) => [
    ...new Set(
      steps.flatMap((at) => {
        if (at === PROMPT) return prompts.map(({ id }) => id);
        return sources[at] ?? closingId ?? [];
      }),
    ),
  ];
  return { turn: { prompt: prompt.join('\n\n'), record }, sourcesOf };
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
    concepts: [
      ...new Set([CONCEPT[type], ...filesModified.slice(0, 4).map((file) => subjectOfFile(file).toLowerCase())]),
    ],
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
