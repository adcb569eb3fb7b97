// Puts an observation together: sources from its facts, everything bounded and without repetition.
import type { Fact, ObservationDraft } from '../../core/observation.ts';
import { clip, TITLE_LENGTH, titleOf } from './text/clip.ts';
import { bareText } from './text/plain.ts';
import { isNod, isWithin, newSentences } from './words/repeats.ts';

export type Parts = Pick<ObservationDraft, 'type' | 'origin' | 'at'> &
  Partial<Omit<ObservationDraft, 'title' | 'sources'>> & { title: string; sources?: string[] };

const FACTS_KEPT = 10;
const FILES_KEPT = 40;
const SENTENCES_KEPT = 3;

export function makeDraft(parts: Parts): ObservationDraft {
  const title = titled(parts.title);
  const subtitle = parts.subtitle ? titled(parts.subtitle, 160) : null;
  const all = parts.facts ?? [];
  const fresh = freshFacts(all, title).slice(0, FACTS_KEPT);
  const narrative = newSentences(parts.narrative ?? '', [title, ...fresh.map((one) => one.text)], SENTENCES_KEPT);
  const facts = narrative ? fresh : fresh.filter((one) => isCause(one) || !isWithin(one.text, subtitle ?? ''));
  return {
    type: parts.type,
    title,
    subtitle: subtitle && !isRepeated(subtitle, title, narrative ? [] : facts) ? subtitle : null,
    narrative: narrative ? clip(narrative, 900) : null,
    facts,
    concepts: unique(parts.concepts ?? []).slice(0, 6),
    filesRead: unique(parts.filesRead ?? []).slice(0, FILES_KEPT),
    filesModified: unique(parts.filesModified ?? []).slice(0, FILES_KEPT),
    outcome: parts.outcome ?? null,
    origin: parts.origin,
    sources: unique([...(parts.sources ?? []), ...all.slice(0, FACTS_KEPT).flatMap((fact) => fact.sources)]),
    at: parts.at,
  };
}

/** Where there is no narrative a reader sees the subtitle right above the facts. */
function isRepeated(subtitle: string, title: string, facts: Fact[]): boolean {
  return isWithin(subtitle, title) || facts.some((one) => isCause(one) && isWithin(subtitle, one.text));
}

const isCause = (one: Fact): boolean => one.text.startsWith('Cause: ');

/** A title that opens with an identifier in backticks keeps its spelling. */
function titled(text: string, max = TITLE_LENGTH): string {
  const title = titleOf(bareText(text), max);
  const code = /^`([^`]{1,60})`/.exec(text)?.[1];
  return code && title.toLowerCase().startsWith(code.toLowerCase()) ? code + title.slice(code.length) : title;
}

export function fact(text: string, ...sources: string[]): Fact {
  return {
    text: clip(
      text
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/([.?!])\.$/, '$1'),
      320,
    ),
    sources: unique(sources),
  };
}

export function unique<T>(list: T[]): T[] {
  return [...new Set(list)];
}

/** What neither the title nor an earlier fact says. */
function freshFacts(facts: Fact[], title: string): Fact[] {
  const kept: Fact[] = [];
  for (const one of facts) {
    const known = [title, ...kept.map((other) => other.text)];
    if (/[\p{L}\p{N}]/u.test(one.text) && !isNod(one.text) && !known.some((text) => isWithin(one.text, text)))
      kept.push(one);
  }
  return kept;
}
