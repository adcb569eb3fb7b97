// A memory in one row: what kind it is, its title, its state, its files, how old it is. A click or Enter opens it in the side panel.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Memory, MemoryRow } from '../../../src/core/shapes/memory.ts';
import { keepCard, listCards } from '../card-keys.ts';
import { formatAge, formatDateTime, formatId } from '../format.ts';
import { filePage, memoryPage } from '../links.ts';
import { latestRow } from '../memories.ts';
import { openPanel, shownId } from '../panel.ts';
import { selected, toggleSelected } from '../selection.ts';
import { TypeIcon } from './icon.tsx';
import { MemoryMarks } from './memory-marks.tsx';
import { RichLine } from './rich-text.tsx';
import '../styles/line.css';

export type MemoryLineProps = {
  /** Of a whole memory the other files are counted, too. */
  row: MemoryRow & Partial<Pick<Memory, 'filesModified' | 'filesRead'>>;
  /** Words to mark in the title. */
  highlight?: readonly string[];
  /** Below the title, where there is room for it. */
  more?: string | null;
  /** Instead of its age. */
  when?: string;
  /** Where memories of several projects stand beside each other. */
  withProject?: boolean;
  isCurrent?: boolean;
  /** A prompt at the head of its turn. */
  isHead?: boolean;
  /** Shown at the end: buttons, counts. */
  children?: ComponentChildren;
};

/** Nothing, once the memory is hidden or deleted. */
export function MemoryLine({ row: asked, highlight, more, when, withProject, isCurrent, isHead, children }: MemoryLineProps) {
  const row = latestRow(asked);
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (row) keepCard(ref.current, row);
  });
  if (!row) return null;
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    openPanel(row.id);
  };
  const isSelected = selected.value.has(row.id);
  const files = [...new Set([...(asked.filesModified ?? []), ...(asked.filesRead ?? [])])];
  return (
    <article
      ref={ref}
      class={isHead ? 'line line-head' : 'line'}
      tabIndex={-1}
      data-memory={row.id}
      data-kind={row.kind}
      data-type={row.type}
      data-wrong={row.isWrong}
      data-replaced={row.replacedBy?.isCertain || undefined}
      data-selected={isSelected || undefined}
      aria-current={isCurrent || shownId.value === row.id ? 'true' : undefined}
      aria-labelledby={`title-${row.id}`}
    >
      <span class="line-mark">
        <TypeIcon type={row.type} />
        <label class="line-select">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            aria-label={`Select ${formatId(row.id)}`}
            onClick={(event) => toggleSelected(row, { isRange: event.shiftKey, others: listCards() })}
          />
        </label>
      </span>
      <div class="line-words">
        <a id={`title-${row.id}`} class="line-title" dir="auto" href={memoryPage(row.id)} title={row.title} onClick={open}>
          <RichLine text={row.title || 'Untitled'} words={highlight} />
        </a>
        {more && (
          <span class="line-more" dir="auto">
            <RichLine text={more} words={highlight} />
          </span>
        )}
      </div>
      <span class="line-marks">
        <MemoryMarks row={row} />
        {children}
      </span>
      {withProject && <span class="line-project">{row.project}</span>}
      {row.file && (
        <a class="line-file mono" href={filePage(row.file)} title={files.join('\n') || row.file}>
          <span>{lastParts(row.file)}</span>
          {files.length > 1 && <span>+{files.length - 1}</span>}
        </a>
      )}
      <time class="line-age number" dateTime={new Date(row.at).toISOString()} title={formatDateTime(row.at)}>
        {when ?? formatAge(row.at)}
      </time>
      <span class="line-id mono">{formatId(row.id)}</span>
    </article>
  );
}

/** The folder and the name tell files apart. */
const lastParts = (path: string) => path.split('/').slice(-2).join('/');
