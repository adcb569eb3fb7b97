// The side panel: the opened memory with all that is known of it, beside the list; on a phone in its place.
import { useEffect, useRef } from 'preact/hooks';
import type { WholeMemory } from '../../../src/core/shapes/pages.ts';
import { formatId } from '../format.ts';
import { latest } from '../memories.ts';
import { closePanel, openedId, shownId } from '../panel.ts';
import { useAnswer } from '../use-answer.ts';
import { Empty } from './empty.tsx';
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
  const memory = data && latest(data.memory);
  if (error?.status === 404 || (data && !memory)) return <Gone id={id} />;
  if (error) return <Problem error={error} onRetry={again} />;
  if (!data || !memory) return <Skeleton rows={3} />;
  return <MemoryDetail whole={data} memory={memory} />;
}

const Gone = ({ id }: { id: string }) => (
  <Empty title={`There is no memory ${formatId(id)}`}>
    <p>
      It may be hidden or deleted. <a href="/view/search">Search</a> finds what there is; hidden ones wait on top of the{' '}
      <a href="/view/feed">feed</a>.
    </p>
  </Empty>
);
