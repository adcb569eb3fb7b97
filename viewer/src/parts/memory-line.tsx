// A memory in one line: what kind it is, its title, when, where, its id. The line leads to its timeline.
import type { ComponentChildren } from 'preact';
import type { MemoryRow } from '../../../src/core/shapes/memory.ts';
import { formatDateTime, formatId, formatTime } from '../format.ts';
import { timelineOf } from '../links.ts';
import { latestRow } from '../memories.ts';
import { MemoryMarks } from './memory-marks.tsx';
import { RichLine } from './rich-text.tsx';
import '../styles/card.css';

export type MemoryLineProps = {
  row: MemoryRow;
  /** Words to mark in the title. */
  highlight?: readonly string[];
  /** Instead of the time of day: where the line stands alone, a date. */
  when?: string;
  isCurrent?: boolean;
  /** Shown at the end: buttons, counts. */
  children?: ComponentChildren;
};

export function MemoryLine({ row: asked, highlight, when, isCurrent, children }: MemoryLineProps) {
  const row = latestRow(asked);
  if (!row) return null;
  return (
    <div class="line" data-kind={row.kind} data-wrong={row.isWrong} aria-current={isCurrent ? 'true' : undefined}>
      <span class="dot" data-type={row.type} title={row.type} />
      <span class="hidden-text">{row.type}</span>
      <a class="line-title" dir="auto" href={timelineOf(row.id)}>
        <RichLine text={row.title || 'Untitled'} words={highlight} />
      </a>
      <MemoryMarks row={row} />
      {row.file && (
        <span class="line-file mono" title={row.file}>
          {lastParts(row.file)}
        </span>
      )}
      <time class="mono" dateTime={new Date(row.at).toISOString()} title={formatDateTime(row.at)}>
        {when ?? formatTime(row.at)}
      </time>
      <span class="line-id mono">{formatId(row.id)}</span>
      {children}
    </div>
  );
}

/** The folder and the name tell files apart. */
const lastParts = (path: string) => path.split('/').slice(-2).join('/');
