// A memory as a card: all that is known of it, folded to what is read at a glance, and what can be done with it.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Memory } from '../../../src/core/shapes/memory.ts';
import { keepCard } from '../card-keys.ts';
import { formatDateTime, formatDay, formatTime } from '../format.ts';
import { latest } from '../memories.ts';
import { MemoryActions } from './memory-actions.tsx';
import { MemoryBody } from './memory-body.tsx';
import { MemoryFoot } from './memory-foot.tsx';
import { MemoryMarks } from './memory-marks.tsx';
import { RichLine } from './rich-text.tsx';
import '../styles/card.css';

export { MemoryLine, type MemoryLineProps } from './memory-line.tsx';

export type MemoryCardProps = {
  memory: Memory;
  /** Given together: whoever shows the card knows what is open. Otherwise the card does. */
  isOpen?: boolean;
  onToggle?: () => void;
  /** Words to mark in its texts. */
  highlight?: readonly string[];
  /** Said at the end of the card: why it was found or told. */
  why?: ComponentChildren;
  /** Whose session it is needs no word where all are of one. */
  withoutSession?: boolean;
  /** Where no heading says which day it was. */
  withDate?: boolean;
};

/** Nothing, once the memory is forgotten or hidden. */
export function MemoryCard({ memory: asked, isOpen, onToggle, highlight, why, withoutSession, withDate }: MemoryCardProps) {
  const memory = latest(asked);
  const ref = useRef<HTMLElement>(null);
  const [isOpenHere, setOpenHere] = useState(false);
  const isShownWhole = isOpen ?? isOpenHere;
  const toggle = onToggle ?? (() => setOpenHere(!isOpenHere));
  const isCut = useIsCut(ref, isShownWhole, memory);
  useLayoutEffect(() => {
    if (memory) keepCard(ref.current, { memory, toggle });
  });
  if (!memory) return null;
  const { id, kind, type, title, subtitle, at, project } = memory;
  const hasMore = isCut || isShownWhole;
  return (
    <article
      ref={ref}
      class="card"
      tabIndex={-1}
      data-memory={id}
      data-kind={kind}
      data-wrong={memory.isWrong}
      data-open={isShownWhole}
      aria-labelledby={`title-${id}`}
    >
      <header>
        <p class="card-type">
          <span class="dot" data-type={type} />
          <span>{type}</span>
          <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
            {withDate && `${formatDay(at)}, `}
            {formatTime(at)}
          </time>
          <span>{project}</span>
          <MemoryMarks row={memory} />
        </p>
        <MemoryActions memory={memory} />
      </header>
      {kind === 'prompt' ? (
        <h3 id={`title-${id}`} class="hidden-text">
          Prompt {memory.promptNumber ?? ''}
        </h3>
      ) : (
        <h3 id={`title-${id}`} dir="auto">
          <RichLine text={title || 'Untitled'} words={highlight} />
        </h3>
      )}
      {subtitle && (
        <p class="card-subtitle" dir="auto">
          <RichLine text={subtitle} words={highlight} />
        </p>
      )}
      <MemoryBody memory={memory} isOpen={isShownWhole} highlight={highlight} />
      {hasMore && (
        <button type="button" class="more" aria-expanded={isShownWhole} onClick={toggle}>
          {isShownWhole ? 'less' : 'more'}
        </button>
      )}
      <MemoryFoot memory={memory} isOpen={isShownWhole} withoutSession={withoutSession} />
      {why}
    </article>
  );
}

/** Whether the fold hides anything: a text too long for it, or parts that only an open card shows. */
function useIsCut(ref: { current: HTMLElement | null }, isOpen: boolean, memory: Memory | null): boolean {
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) return;
    const folded = [...(ref.current?.querySelectorAll<HTMLElement>('.fold') ?? [])];
    setCut(folded.some((one) => one.scrollHeight > one.clientHeight + 2) || (memory !== null && hasHidden(memory)));
  }, [isOpen, memory]);
  return isCut;
}

const hasHidden = ({ kind, turn, narrative, facts, summary }: Memory) =>
  (kind === 'prompt' && turn !== null) || (narrative !== null && facts.length > 0) || Boolean(summary?.investigated || summary?.notes);
