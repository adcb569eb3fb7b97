// The side panel: the opened memory with all that is known of it, beside the list; on a phone in its place.
import { useEffect, useRef } from 'preact/hooks';
import type { WholeMemory } from '../../../src/core/shapes/pages.ts';
import { latest } from '../memories.ts';
import { closePanel, openedId, shownId } from '../panel.ts';
import { useAnswer } from '../use-answer.ts';
import { Icon } from './icon.tsx';
import { MemoryDetail } from './memory-detail.tsx';
import { Problem } from './problem.tsx';
import { Skeleton } from './skeleton.tsx';
import '../styles/detail.css';

export function Panel() {
  const id = shownId.value;
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.scrollTo(0, 0), [id]);
  if (!id) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <aside ref={ref} class="side" aria-label="Opened memory" data-docked={openedId.value === null || undefined} tabIndex={0}>
      {openedId.value !== null && (
        <button type="button" class="quiet side-close" aria-label="Close the panel" onClick={closePanel}>
          <Icon name="close" />
        </button>
      )}
      <Opened key={id} id={id} />
    </aside>
  );
}

/** Also the page of one memory. */
export function Opened({ id }: { id: string }) {
  const { data, error, again } = useAnswer<WholeMemory>(`/api/memories/${encodeURIComponent(id)}`);
  if (error) return error.status === 404 ? <Problem error={error} /> : <Problem error={error} onRetry={again} />;
  if (!data) return <Skeleton rows={3} />;
  const memory = latest(data.memory);
  if (!memory) return <p class="faint">It is hidden or deleted.</p>;
  return <MemoryDetail whole={data} memory={memory} />;
}
