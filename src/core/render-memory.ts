// All of a memory as text: its line of the index, then every field that says something.

import { scrubSecrets } from '../secrets/scrub.ts';
import { formatDate, formatTime } from './local-time.ts';
import type { Memory } from './memory.ts';
import { plainLine } from './plain-line.ts';
import { listMarks } from './render-index.ts';

/** More than any memory that was distilled has; a prompt may hold a whole file. */
const MAX_TEXT = 20_000;

export function renderMemory(memory: Memory): string[] {
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
    ...field('Outcome', memory.outcome),
    ...field('In', memory.commit ? `commit ${memory.commit.slice(0, 10)}` : null),
    ...field('Files changed', memory.filesModified.join(', ')),
    ...field('Files read', memory.filesRead.join(', ')),
    ...field('Concepts', memory.concepts.join(', ')),
    ...field('From', describeSource(memory)),
  ];
}

/** Line by line: indented, so that none of them can look like the next memory. */
function indent(text: string | null): string[] {
  // As a whole first: a key over several lines is no secret to one who reads only lines.
  const lines = scrubSecrets(text ?? '')
    .text.slice(0, MAX_TEXT)
    .split('\n');
  return lines.map((part) => `  ${plainLine(part, MAX_TEXT)}`).filter((part) => part.trim() !== '');
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
