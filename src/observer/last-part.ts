// The summary of a turn that was distilled in parts: its last part knows neither what was asked nor which files came before it.
import type { Database } from 'bun:sqlite';
import { firstWords } from '../core/cut.ts';
import type { SummaryDraft } from '../core/summary.ts';
import { hasOpenPart } from '../store/events/events.ts';
import { promptText } from '../store/sessions/prompts.ts';
import { readRecord } from '../turns/record.ts';
import { findTurn, type TurnPlace } from '../turns/turns.ts';

const REQUEST_CHARACTERS = 900;
const KEPT_FILES = 40;

/** Of any other turn it stays as it is. Its record is stored already. */
export function tellWholeTurn(
  db: Database,
  { firstSeq, ...place }: TurnPlace & { firstSeq: number },
  summary: SummaryDraft | null,
): SummaryDraft | null {
  if (!summary || !hasOpenPart(db, place, firstSeq)) return summary;
  const { steps } = readRecord(findTurn(db, place)?.record ?? '');
  const add = (files: string[], kind: 'read' | 'edited') =>
    [...new Set([...steps.flatMap((step) => (step.kind === kind ? [step.file] : [])), ...files])].slice(0, KEPT_FILES);
  return {
    ...summary,
    request: summary.request ?? askedIn(db, place),
    filesRead: add(summary.filesRead, 'read'),
    filesEdited: add(summary.filesEdited, 'edited'),
  };
}

function askedIn(db: Database, place: TurnPlace): string | null {
  const asked = promptText(db, place)?.replace(/\s+/g, ' ').trim();
  return asked ? firstWords(asked, REQUEST_CHARACTERS) : null;
}
