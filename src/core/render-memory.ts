// All of a memory as text: its line of the index, then every field that says something.

import { scrubSecrets } from '../secrets/scrub.ts';
import { formatDate, formatDay, formatTime } from './local-time.ts';
import type { Memory } from './memory.ts';
import { plainLine, plainLines } from './plain-line.ts';
import { listMarks } from './render-index.ts';

/** More than any memory that was distilled has; a prompt may hold a whole file. */
const MAX_TEXT = 20_000;

/** `rest`: how the reader gets the rest of a record. */
export type MemoryOptions = { rest: (id: string) => string };

const BY_HAND: MemoryOptions = { rest: (id) => `claude-mem show ${id} --all` };

export function renderMemory(memory: Memory, options: MemoryOptions = BY_HAND): string[] {
  const field = (name: string, text: string | null) =>
    text?.trim() ? [`  ${name}: ${plainLine(text, MAX_TEXT)}`] : [];
  const marks = listMarks(memory).map((mark) => ` [${plainLine(mark, 80)}]`);
  return [
    `#${memory.id} ${formatDate(memory.at)} ${formatTime(memory.at)} ${memory.type} ${plainLine(memory.title || 'untitled', 300)}${marks.join('')}`,
    ...indent(memory.subtitle),
    ...indent(memory.narrative),
    ...memory.facts.map((fact) => `  - ${plainLine(fact, MAX_TEXT)}`),
    ...renderSummaryFields(memory.summary, field),
    ...indent(memory.text),
    ...(memory.record === null
      ? []
      : renderRecord({ id: memory.id, text: memory.record, left: memory.recordLeft ?? 0 }, options)),
    ...field('Outcome', memory.outcome),
    ...field(memory.replacedBy?.isCertain ? 'Replaced' : 'May be replaced', explainReplaced(memory)),
    ...field('In', memory.commit ? `commit ${memory.commit.slice(0, 10)}` : null),
    ...field('Files changed', memory.filesModified.join(', ')),
    ...field('Files read', memory.filesRead.join(', ')),
    ...field('Concepts', memory.concepts.join(', ')),
    ...field('Turn', memory.turn === memory.id ? null : memory.turn),
    ...field('From', describeSource(memory)),
  ];
}

/** Indented like all of a memory; code stays as it is. */
export function renderRecord(
  record: { id: string; text: string; left: number },
  { rest }: MemoryOptions = BY_HAND,
): string[] {
  const more = record.left > 0 ? [`  (${record.left.toLocaleString('en')} characters more: ${rest(record.id)})`] : [];
  return ['  Said and done:', ...plainLines(record.text).map((line) => `    ${line}`), ...more];
}

/** Line by line: indented, so that none of them can look like the next memory. */
function indent(text: string | null): string[] {
  // As a whole first: a key over several lines is no secret to one who reads only lines.
  const lines = scrubSecrets(text ?? '')
    .text.slice(0, MAX_TEXT)
    .split('\n');
  return lines.map((part) => `  ${plainLine(part, MAX_TEXT)}`).filter((part) => part.trim() !== '');
}

/** Why, and the words that show it. */
function explainReplaced({ replacedBy }: Memory): string | null {
  if (!replacedBy) return null;
  const { id, why, words, at, session } = replacedBy;
  const since = `on ${formatDay(at)}${session ? ` in session ${session}` : ''}`;
  return `by #${id} ${since} (${why})${words ? `: ${words}` : ''}`;
}

type Field = (name: string, text: string | null) => string[];

function renderSummaryFields(summary: Memory['summary'], field: Field): string[] {
  if (!summary) return [];
  return [
    ...field('Request', summary.request),
    ...field('Investigated', summary.investigated),
    ...field('Learned', summary.learned),
    ...field('Completed', summary.completed),
    ...field('Next steps', summary.nextSteps),
    ...field('Notes', summary.notes),
  ];
}

function describeSource({ project, branch, session, promptNumber }: Memory): string {
  const place = branch ? `${project} (${branch})` : project;
  const prompt = promptNumber ? `, prompt ${promptNumber}` : '';
  return session ? `${place}, session ${session}${prompt}` : place;
}
