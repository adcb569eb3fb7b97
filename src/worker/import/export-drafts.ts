// A memory of an export as an observer would have made it.
import type { Evidence } from '../../core/evidence.ts';
import type { ObservationLine, SummaryLine } from '../../core/export.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import type { SummaryDraft } from '../../core/summary.ts';

export function draftObservation(line: ObservationLine): ObservationDraft {
  const { type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome } = line;
  const words = { type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome };
  const { origin, sources, isRule, at } = line;
  return { ...words, origin, sources, isRule, at: Date.parse(at) };
}

/** Without the files that the door left out. */
export function evidenceOf(line: ObservationLine, admitted: ObservationDraft): Evidence {
  const { head, branch, errorMarks, trust, isQuarantined } = line;
  const named = new Set([...line.filesRead, ...line.filesModified]);
  const left = new Set([...admitted.filesRead, ...admitted.filesModified]);
  const citations = line.citations.filter(({ path }) => left.has(path) || !named.has(path));
  return { head, branch, citations, errorMarks, trust, isQuarantined };
}

export function draftSummary(line: SummaryLine): SummaryDraft {
  const { request, investigated, learned, completed, nextSteps, filesRead, filesEdited, notes, at } = line;
  return { request, investigated, learned, completed, nextSteps, filesRead, filesEdited, notes, at: Date.parse(at) };
}
