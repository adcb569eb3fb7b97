// A memory on the line: its time, then its row; the one that the timeline is about is marked.
import type { MemoryRow } from '../../../../src/core/shapes/memory.ts';
import { formatDateTime, formatTime } from '../../format.ts';
import { MemoryLine } from '../../parts/memory-line.tsx';

export type TimelineRowProps = { row: MemoryRow; isAnchor: boolean; withProject: boolean };

export const TimelineRow = ({ row, isAnchor, withProject }: TimelineRowProps) => (
  <li class="moment" data-anchor={isAnchor} data-memory-row={row.id}>
    <time class="number" dateTime={new Date(row.at).toISOString()} title={formatDateTime(row.at)}>
      {formatTime(row.at)}
    </time>
    <MemoryLine row={row} when="" isCurrent={isAnchor} isHead={row.kind === 'prompt'} withProject={withProject} />
  </li>
);
