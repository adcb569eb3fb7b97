// A memory on the line: its time, its dot, its title; opened, the whole card.
import { useEffect, useState } from 'preact/hooks';
import type { BatchAnswer, Memory, MemoryRow } from '../../../../src/core/shapes/memory.ts';
import { ask } from '../../api.ts';
import { formatDateTime, formatTime } from '../../format.ts';
import { latestRow } from '../../memories.ts';
import { MemoryCard } from '../../parts/memory-card.tsx';
import { MemoryMarks } from '../../parts/memory-marks.tsx';
import { say } from '../../parts/toasts.tsx';

export type TimelineRowProps = { row: MemoryRow; isAnchor: boolean; withProject: boolean };

export function TimelineRow({ row: asked, isAnchor, withProject }: TimelineRowProps) {
  const [isOpen, setOpen] = useState(isAnchor);
  const [memory, setMemory] = useState<Memory | null>(null);
  useEffect(() => setOpen(isAnchor), [isAnchor]);
  useEffect(() => {
    if (isOpen && !memory) readMemory(asked.id).then(setMemory, () => fail(asked.id, () => setOpen(false)));
  }, [isOpen, memory, asked.id]);
  const row = latestRow(asked);
  if (!row) return null;
  return (
    <li class="moment" data-anchor={isAnchor} data-memory-row={row.id}>
      <time class="mono" dateTime={new Date(row.at).toISOString()} title={formatDateTime(row.at)}>
        {formatTime(row.at)}
      </time>
      <span class="dot" data-type={row.type} title={row.type} />
      {isOpen && memory ? (
        <MemoryCard memory={memory} isOpen onToggle={() => setOpen(false)} />
      ) : (
        <div class="moment-line">
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span class="moment-type">{row.type}</span>
            <span class="hidden-text">: </span>
            <span>{row.title || 'Untitled'}</span>
          </button>
          <MemoryMarks row={row} />
          {withProject && <span class="faint tiny">{row.project}</span>}
        </div>
      )}
    </li>
  );
}

async function readMemory(id: string): Promise<Memory> {
  const { memories } = await ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids: [id] } });
  const [memory] = memories;
  if (!memory) throw new Error('it is not there any more');
  return memory;
}

function fail(id: string, close: () => void): void {
  close();
  say(`#${id} could not be read.`, { isBad: true });
}
