// `claude-mem timeline`: what happened around a memory, a moment or the best hit of a query.

import { formatRef, parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderInOrder } from '../../core/render-index.ts';
import { renderRecord } from '../../core/render-memory.ts';
import type { TimelineAnswer } from '../../core/search.ts';
import { printJson, readCount, readList, readScope, type ScopeOptions } from '../memory-options.ts';
import { renderMemoryTable } from '../memory-table.ts';
import { openMemory } from '../open-memory.ts';
import { findTerminal, type Terminal } from '../terminal.ts';

export type TimelineOptions = ScopeOptions & { before?: string; after?: string; type?: string; json?: boolean };

export async function showTimeline(words: string[], options: TimelineOptions): Promise<void> {
  const answer = await openMemory().readTimeline({
    ...readAround(words.join(' ').trim()),
    ...readScope(options),
    depth_before: readCount('--before', options.before),
    depth_after: readCount('--after', options.after),
    type: readList(options.type),
  });
  if (options.json) return printJson(answer);
  const terminal = findTerminal();
  const note = answer.note ? `${plainLine(answer.note, 400)}\n` : '';
  terminal.print(`${note}${describe(answer, terminal, options)}`);
}

function describe({ items, anchor, record }: TimelineAnswer, terminal: Terminal, { all }: TimelineOptions): string {
  if (items.length === 0) {
    return 'Nothing happened there. Find an id with `claude-mem search`, or add --all for every project.';
  }
  const rows = { withProject: all === true };
  const told = record ? renderRecord(record) : [];
  const head = record ? [`#${record.id}`] : [];
  if (terminal.isTerminal)
    return [renderMemoryTable(items, terminal, { ...rows, anchor }), ...head, ...told].join('\n');
  return [...(anchor === null ? [] : [`Around #${anchor}:`]), ...renderInOrder(items, rows), ...head, ...told].join(
    '\n',
  );
}

/** An id, a time, else a query; nothing said is now. */
function readAround(said: string): { anchor: string } | { query: string } {
  if (said === '') return { anchor: new Date().toISOString() };
  const ref = parseRef(said);
  if (ref) return { anchor: formatRef(ref) };
  const isTime = /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(said) && !Number.isNaN(Date.parse(said));
  return isTime ? { anchor: said } : { query: said };
}
