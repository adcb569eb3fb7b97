// `claude-mem timeline`: what happened around a memory, a moment or the best hit of a query.
import { formatRef, parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import { renderInOrder, renderRecord } from '../../core/render.ts';
import type { TimelineAnswer } from '../../core/shapes/memory.ts';
import { command } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readCount, readList, readScope, type ScopeOptions } from '../options.ts';
import { findTerminal, printJson, renderMemoryTable, type Terminal } from '../print.ts';

export const timelineCommand = command({
  name: 'timeline [anchor-or-query...]',
  about: 'what happened around an id (123, S12, P34), a time, or the best hit of a query',
  options: {
    '--before <count>': 'how many before it',
    '--after <count>': 'how many after it',
    '--type <types>': 'only these types, separated by commas',
    '--project <name>': 'another project',
    '--all': 'every project',
    '--json': 'as JSON',
  },
  examples: ['claude-mem timeline 123 --before 5 --after 5', 'claude-mem timeline retry limit'],
  who: 'anyone',
  async run(words, options) {
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
  },
});

function describe({ items, anchor, record }: TimelineAnswer, terminal: Terminal, { all }: ScopeOptions): string {
  if (items.length === 0) {
    return 'Nothing happened there. Find an id with `claude-mem search`, or add --all for every project.';
  }
  const rows = { withProject: all === true };
  const told = record ? renderRecord(record) : [];
  const head = record ? [`#${record.id}`] : [];
  if (terminal.isTerminal) return [renderMemoryTable(items, terminal, { ...rows, anchor }), ...head, ...told].join('\n');
  return [...(anchor === null ? [] : [`Around #${anchor}:`]), ...renderInOrder(items, rows), ...head, ...told].join('\n');
}

/** An id, a time, else a query; nothing said is now. */
function readAround(said: string): { anchor: string } | { query: string } {
  if (said === '') return { anchor: new Date().toISOString() };
  const ref = parseRef(said);
  if (ref) return { anchor: formatRef(ref) };
  const isTime = /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(said) && !Number.isNaN(Date.parse(said));
  return isTime ? { anchor: said } : { query: said };
}
