// Memories as text: a line for each in an index, or every field of one. The same for search, timeline and context.

import { scrubSecrets } from '../secrets/scrub.ts';
import { BY_OTHERS } from './memory.ts';
import { plainLine, plainLines } from './plain-line.ts';
import type { Memory, MemoryRow, ReplacedBy } from './shapes/memory.ts';
import { formatDate, formatDay, formatTime } from './time.ts';

type Entry = { id: string | number; at: number; type: string; title: string | null };

/** `#ID time type title`. */
const renderEntry = ({ id, at, type, title }: Entry) => `#${id} ${formatTime(at)} ${type} ${renderTitle(title, 160)}`;

const renderTitle = (title: string | null, most: number) => plainLine(title?.trim() || 'untitled', most);

type IndexOptions = { withProject?: boolean };

const RANKED_TITLE = 120;
/** What was asked is not the answer: the words below it tell more. */
const ASKED_TITLE = 60;

/** For hits in order of relevance: the best comes first, each with its day; a P id alone says that it is a prompt. */
export function renderRanked(rows: Row[], options: IndexOptions = {}): string[] {
  return rows.map((row) => {
    const { id, at, type, title } = row;
    if (row.isGiven) return `#${id} [given]${renderSnippet(row)}`;
    const isAsked = type === 'prompt';
    const length = isAsked && row.snippet ? ASKED_TITLE : RANKED_TITLE;
    return renderRow(row, `#${id} ${formatDate(at)} ${isAsked ? '' : `${type} `}${renderTitle(title, length)}`, options);
  });
}

/** For a timeline: in the order given. Rows of a file stand indented below its name, rows without one by themselves. */
export function renderInOrder(rows: Row[], options: IndexOptions = {}): string[] {
  let [date, file]: [string, string | null] = ['', null];
  return rows.flatMap((row) => {
    const day = formatDate(row.at);
    const isNewDay = day !== date;
    const isNewFile = row.file !== null && (isNewDay || row.file !== file);
    [date, file] = [day, row.file];
    return [
      ...(isNewDay ? [`### ${day}`] : []),
      ...(isNewFile ? [plainLine(row.file ?? '', 200)] : []),
      `${row.file === null ? '' : '  '}${renderRow(row, renderEntry(row), options)}`,
    ];
  });
}

/** A row of search may come with the words that answer. */
type Row = MemoryRow & { snippet?: string | undefined; isGiven?: true | undefined };

function renderRow(row: Row, entry: string, { withProject }: IndexOptions): string {
  const marks = [...(withProject ? [`in ${row.project}`] : []), ...listMarks(row)];
  return `${entry} (~${row.tokens})${marks.map((mark) => ` [${plainLine(mark, 80)}]`).join('')}${renderSnippet(row)}`;
}

const renderSnippet = ({ snippet }: Row) => (snippet ? `\n    ${plainLine(snippet, 620)}` : '');

export function listMarks(row: MemoryRow): string[] {
  const { outcome, isFromOutside, isAgentNote, replacedBy } = row;
  return [
    ...(row.isPinned ? ['pinned'] : []),
    ...(row.isWrong ? ['marked incorrect'] : []),
    ...(replacedBy ? [describeReplaced(replacedBy)] : []),
    ...(outcome === 'ruled-out' ? ['ruled-out'] : []),
    ...(isFromOutside ? ['untrusted source'] : []),
    ...(row.isQuarantined ? ['reads like instructions'] : []),
    ...(row.isDistrusted ? ['blocked source'] : []),
    ...(isAgentNote ? ['noted by an agent'] : []),
    ...(row.isByOthers ? [BY_OTHERS] : []),
    ...(row.agent ? [row.agent] : []),
  ];
}

/** `may be replaced by #123`; of what failed or was reverted also when, and in which session. */
export function describeReplaced({ id, isCertain, why, at, session }: ReplacedBy): string {
  const by = `${isCertain ? 'replaced' : 'may be replaced'} by #${id}`;
  const came = CHANGED[why];
  return came ? `${by}: ${came} on ${formatDay(at)}${session ? ` in session ${session.slice(0, 8)}` : ''}` : by;
}

const CHANGED: Partial<Record<ReplacedBy['why'], string>> = { 'failed again': 'came back', reverted: 'reverted' };

/** More than any memory that was processed has; a prompt may hold a whole file. */
const MAX_TEXT = 20_000;

/** `rest`: how the reader gets the rest of a record. */
type MemoryOptions = { rest: (id: string) => string };

const BY_HAND: MemoryOptions = { rest: (id) => `claude-mem show ${id} --all` };

export function renderMemory(memory: Memory, options: MemoryOptions = BY_HAND): string[] {
  const field = (name: string, text: string | null) => (text?.trim() ? [`  ${name}: ${plainLine(text, MAX_TEXT)}`] : []);
  const marks = listMarks(memory).map((mark) => ` [${plainLine(mark, 80)}]`);
  return [
    `#${memory.id} ${formatDate(memory.at)} ${formatTime(memory.at)} ${memory.type} ` +
      `${plainLine(memory.title || 'untitled', 300)}${marks.join('')}`,
    ...indent(memory.subtitle),
    ...indent(memory.narrative),
    ...memory.facts.map((fact) => `  - ${plainLine(fact, MAX_TEXT)}`),
    ...SUMMARY_FIELDS.flatMap(([name, key]) => field(name, memory.summary?.[key] ?? null)),
    ...indent(memory.text),
    ...(memory.record === null ? [] : renderRecord({ id: memory.id, text: memory.record, left: memory.recordLeft ?? 0 }, options)),
    ...field('Outcome', explainOutcome(memory)),
    ...field(memory.replacedBy?.isCertain ? 'Replaced' : 'May be replaced', explainReplaced(memory)),
    ...field('In', memory.commit ? `commit ${memory.commit.slice(0, 10)}` : null),
    ...field('Files changed', memory.filesModified.join(', ')),
    ...field('Files read', memory.filesRead.join(', ')),
    ...field('Concepts', memory.concepts.join(', ')),
    ...field('Turn', memory.turn === memory.id ? null : memory.turn),
    ...field('From', describeSource(memory)),
  ];
}

const explainOutcome = ({ outcome, outcomeBy: by }: Memory) =>
  by ? `${outcome} (${by.why}, #${by.turn} on ${formatDay(by.at)})` : outcome;

export function renderRecord(record: { id: string; text: string; left: number }, { rest }: MemoryOptions = BY_HAND): string[] {
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

function explainReplaced({ replacedBy }: Memory): string | null {
  if (!replacedBy) return null;
  const { id, why, words, at, session } = replacedBy;
  const since = `on ${formatDay(at)}${session ? ` in session ${session}` : ''}`;
  return `by #${id} ${since} (${why})${words ? `: ${words}` : ''}`;
}

const SUMMARY_FIELDS = [
  ['Request', 'request'],
  ['Investigated', 'investigated'],
  ['Learned', 'learned'],
  ['Completed', 'completed'],
  ['Next steps', 'nextSteps'],
  ['Notes', 'notes'],
] as const;

function describeSource({ project, branch, session, agent, promptNumber }: Memory): string {
  const place = branch ? `${project} (${branch})` : project;
  const prompt = promptNumber ? `, prompt ${promptNumber}` : '';
  return session ? `${place}, ${agent ? `${agent} ` : ''}session ${session}${prompt}` : place;
}
