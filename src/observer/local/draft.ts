// Puts an observation together: sources from its facts, everything bounded and without repetition.
import type { Fact, ObservationDraft } from '../../core/observation.ts';
import { clip, TITLE_LENGTH, titleOf } from './text/clip.ts';
import { bareText } from './text/plain.ts';

export type Parts = Pick<ObservationDraft, 'type' | 'origin' | 'at'> &
  Partial<Omit<ObservationDraft, 'title' | 'sources'>> & { title: string; sources?: string[] };

const FACTS_KEPT = 10;
const FILES_KEPT = 40;

export function makeDraft(parts: Parts): ObservationDraft {
  const facts = uniqueFacts(parts.facts ?? []).slice(0, FACTS_KEPT);
  const title = titled(parts.title);
  const subtitle = parts.subtitle ? titled(parts.subtitle, 160) : null;
  return {
    type: parts.type,
    title,
    subtitle: subtitle === title ? null : subtitle,
    narrative: parts.narrative ? clip(parts.narrative, 900) : null,
    facts,
    concepts: unique(parts.concepts ?? []).slice(0, 6),
    filesRead: unique(parts.filesRead ?? []).slice(0, FILES_KEPT),
    filesModified: unique(parts.filesModified ?? []).slice(0, FILES_KEPT),
    outcome: parts.outcome ?? null,
    origin: parts.origin,
    sources: unique([...(parts.sources ?? []), ...facts.flatMap((fact) => fact.sources)]),
    at: parts.at,
  };
}

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

function uniqueFacts(facts: Fact[]): Fact[] {
  const seen = new Set<string>();
  return facts.filter((one) => {
    const key = bareText(one.text)
      .toLowerCase()
      .replace(/[.!]+$/, '');
    return key !== '' && !seen.has(key) && seen.add(key);
  });
}
