// What a model said, as far as our own events bear it out: ids, sources, paths, outcome and trust are ours, the words are its.
import type { Batch, Distilled } from '../core/batch.ts';
import type { SessionEvent } from '../core/event.ts';
import type { ObservationDraft } from '../core/observation.ts';
import type { SummaryDraft } from '../core/summary.ts';
import { INJECTED_TRUST, TRUST } from '../core/trust.ts';
import { wordsIn } from '../observer/content-words.ts';
import { isOutside } from '../observer/outside/speaker.ts';
import { type BorneOut, createBorneOut } from './believe/borne-out.ts';
import { createEchoCheck, type IsEcho } from './believe/echo.ts';
import { type KnownFiles, listKnownFiles } from './believe/known-files.ts';
import { matchPaths } from './believe/match-paths.ts';
import { originOf } from './believe/origin.ts';
import { outcomeOf } from './believe/outcome.ts';
import { believeSummary } from './believe/summary.ts';
import { condenseEvents } from './condense.ts';
import type { ParsedAnswer, ParsedObservation, ParsedSummary } from './parsed-answer.ts';

export type AnswerContext = {
  batch: Batch;
  /** Of the part that was asked about: the answer's number n means events[n - 1]. */
  events: SessionEvent[];
  /** What the rules made of the whole batch. Its summary is null when none was asked for. */
  local: Distilled;
};

/**
 * `dropped`: observations that only repeat a block in our own format out of what was observed. `isInPlace`: what is believed takes
 * the place of what the rules made of the same events; otherwise it stands beside that.
 */
export type Believed = Distilled & { dropped: number; isInPlace: boolean };

export function believe(answer: ParsedAnswer, context: AnswerContext): Believed {
  const { batch, events, local } = context;
  const seen = [...new Map([...batch.events, ...events].map((event) => [event.id, event])).values()];
  const grounds = {
    ...context,
    files: listKnownFiles(batch),
    borneOut: createBorneOut(batch, seen),
    outside: [...batch.earlier, ...seen].filter(isOutside),
    isEcho: createEchoCheck(seen),
  };
  const own = answer.observations.filter((one) => !isForged(one, grounds.isEcho));
  const observations = withoutRepetition(own).map((one) => makeDraft(one, grounds));
  return {
    observations,
    isInPlace: answer.isWhole && observations.some(isBelieved),
    summary: answer.skippedSummary === null ? makeSummary(answer.summary, grounds) : null,
    title: believeTitle(answer.sessionTitle, local.title, grounds),
    subtitle: believeTitle(answer.sessionSubtitle, local.subtitle, grounds),
    dropped: answer.observations.length - own.length,
  };
}

const isBelieved = ({ title, origin }: ObservationDraft) =>
  title !== null && /[\p{L}\p{N}]/u.test(title) && TRUST[origin] >= INJECTED_TRUST;

type Grounds = AnswerContext & {
  files: KnownFiles;
  borneOut: BorneOut;
  /** What came from outside, in earlier turns too. */
  outside: SessionEvent[];
  isEcho: IsEcho;
};

function isForged({ title, narrative, facts }: ParsedObservation, isEcho: IsEcho): boolean {
  const hasOnlyEchoes = facts.length > 0 && facts.every(isEcho);
  return hasOnlyEchoes || [title, narrative].some((text) => text !== null && isEcho(text));
}

function withoutRepetition(observations: ParsedObservation[]): ParsedObservation[] {
  const seen = new Set<string>();
  return observations.filter(({ title }) => {
    if (title === null) return true;
    const isNew = !seen.has(title.toLowerCase());
    seen.add(title.toLowerCase());
    return isNew;
  });
}

function makeDraft(one: ParsedObservation, grounds: Grounds): ObservationDraft {
  const { batch, events, local, files } = grounds;
  const root = batch.project.root;
  const filesRead = matchPaths(one.filesRead, files.touched, root);
  const filesModified = matchPaths(one.filesModified, files.edited, root);
  const named = events.filter((_, at) => one.sources.includes(at + 1));
  const sources = named.length > 0 ? named : touching(events, [...filesRead, ...filesModified], files);
  const ids = sources.map((event) => event.id);
  return {
    type: one.type,
    title: one.title,
    subtitle: one.subtitle,
    narrative: one.narrative,
    facts: one.facts.map((text) => ({ text, sources: ids })),
    concepts: [...new Set(one.concepts.map((concept) => concept.toLowerCase()))],
    filesRead,
    filesModified,
    outcome: outcomeOf({ type: one.type, filesModified, isUnverified: one.isUnverified }, local.observations),
    origin: originOf(one.title ?? one.narrative ?? '', [...sources, ...unnamed(one, filesModified, grounds)]),
    sources: ids,
    at: latest(sources.length > 0 ? sources : batch.events),
  };
}

/** Without sources of its own an observation rests on the events that touched its files; without files, on all. */
function touching(events: SessionEvent[], named: string[], { touchedBy }: KnownFiles): SessionEvent[] {
  const ids = new Set(named.flatMap((file) => touchedBy.get(file) ?? []));
  const found = events.filter((event) => ids.has(event.id));
  return found.length > 0 ? found : events;
}

/** A page can ask to be quoted under another source's name: what is not borne out by our own events rests on it, too. */
function unnamed(one: ParsedObservation, filesModified: string[], { borneOut, outside }: Grounds): SessionEvent[] {
  const texts = [one.title, one.subtitle, one.narrative, ...one.facts].filter((text) => text !== null);
  return borneOut.isBorneOut(texts, filesModified.length > 0) ? [] : outside;
}

const latest = (events: SessionEvent[]): number => events.reduce((last, event) => Math.max(last, event.at), 0);

function makeSummary(
  said: ParsedSummary | null,
  { batch, local, files, borneOut, isEcho }: Grounds,
): SummaryDraft | null {
  const root = batch.project.root;
  const filesRead = matchPaths(said?.filesRead ?? [], files.touched, root);
  const filesEdited = matchPaths(said?.filesEdited ?? [], files.edited, root);
  return believeSummary(said, {
    local: local.summary,
    borneOut,
    isEcho,
    wordsOfTurn: () => wordsIn(condenseEvents(batch.events, root).map(({ tell, maxChars }) => tell(maxChars))),
    filesRead: filesRead.length > 0 ? filesRead : (local.summary?.filesRead ?? []),
    filesEdited: filesEdited.length > 0 ? filesEdited : (local.summary?.filesEdited ?? []),
    at: local.summary?.at ?? latest(batch.events),
  });
}

function believeTitle(said: string | null, ours: string | null, { borneOut, isEcho }: Grounds): string | null {
  const kept = said === null || isEcho(said) ? null : borneOut.keepBorneOut(said);
  return kept ?? (ours === null ? null : borneOut.keepOwn(ours));
}
