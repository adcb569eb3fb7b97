// A list as long as one likes: only what is near the window is on the page, at the heights it really has.
import { observeWindowOffset, observeWindowRect, type VirtualItem, Virtualizer, windowScroll } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

/** How it stood when it was left: given back, it stands there again. */
export type ListPlace = { offset: number; sizes: VirtualItem[] };

export type VirtualListProps = {
  count: number;
  /** Stays with its row, whatever comes before it. */
  keyOf: (at: number) => string;
  estimateHeight: (at: number) => number;
  renderRow: (at: number) => ComponentChildren;
  /** Laid over the top of the list: the heading of the first row that is seen. */
  renderTop?: (first: number) => ComponentChildren;
  /** The last rows are near; called again on every rendering that is. */
  onNearEnd?: () => void;
  /** Another number each time the list is to go to its top. */
  jumps?: number;
  place?: ListPlace | null;
  onLeave?: (place: ListPlace) => void;
  label: string;
};

const OVERSCAN = 4;
const NEAR_END_ROWS = 12;

type List = Virtualizer<Window, HTMLElement>;

export function VirtualList(props: VirtualListProps) {
  const { count, renderRow, renderTop, onNearEnd, label } = props;
  const ref = useRef<HTMLElement>(null);
  const list = useVirtualizer(props, useTopOf(ref));
  const rows = list.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= count - NEAR_END_ROWS) onNearEnd?.();
  });
  const start = (rows[0]?.start ?? 0) - list.options.scrollMargin;
  return (
    <section ref={ref} class="list" aria-label={label} style={{ height: `${list.getTotalSize()}px` }}>
      {renderTop && count > 0 && <div class="list-top">{renderTop(firstSeen(list, rows))}</div>}
      <div class="list-rows" style={{ transform: `translateY(${start}px)` }}>
        {rows.map(({ key, index }) => (
          <div key={key} data-index={index} ref={list.measureElement}>
            {renderRow(index)}
          </div>
        ))}
      </div>
    </section>
  );
}

function useVirtualizer(props: VirtualListProps, scrollMargin: number): List {
  const [, draw] = useReducer((round: number) => round + 1, 0);
  const { count, keyOf, estimateHeight, place } = props;
  const options = {
    count,
    scrollMargin,
    overscan: OVERSCAN,
    getItemKey: keyOf,
    estimateSize: estimateHeight,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => place?.offset ?? scrollY,
    initialMeasurementsCache: place?.sizes ?? [],
    onChange: () => draw(undefined),
  };
  const [list] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  list.setOptions(options);
  useLayoutEffect(() => {
    const stop = list._didMount();
    return () => {
      props.onLeave?.({ offset: list.scrollOffset ?? 0, sizes: list.takeSnapshot() });
      stop();
    };
  }, []);
  useLayoutEffect(() => list._willUpdate());
  // By the list itself: it would take a scroll from elsewhere back, to keep its rows where they are.
  useLayoutEffect(() => {
    if (props.jumps) list.scrollToOffset(0);
  }, [props.jumps]);
  return list;
}

/** Where the list begins on the page; what stands above it comes and goes. */
function useTopOf(ref: { current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((ref.current?.getBoundingClientRect().top ?? 0) + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    if (ref.current?.parentElement) observer.observe(ref.current.parentElement);
    return () => observer.disconnect();
  }, []);
  return top;
}

const firstSeen = (list: List, rows: readonly VirtualItem[]) => rows.find(({ end }) => end > (list.scrollOffset ?? 0))?.index ?? 0;
