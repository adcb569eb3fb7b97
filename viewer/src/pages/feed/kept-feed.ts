// The feed outlives its page: whoever comes back finds it as it was, at the place where they left it.
import { useEffect, useMemo } from 'preact/hooks';
import { type Filter, toQuery } from '../../filter.ts';
import type { ListPlace } from '../../parts/virtual-list.tsx';
import { place } from '../../router.ts';
import { useAgainWhenLive } from '../../when-live.ts';
import { createFeed, type Feed } from './feed.ts';

/** Further down than this, nothing may move under the reader. */
const READING_PX = 160;

type Kept = { feed: Feed; shown: string; place: ListPlace | null; isOpen: boolean };

let kept: Kept | null = null;

function keep(): Kept {
  if (kept) return kept;
  const made: Kept = {
    feed: createFeed(() => !made.isOpen || scrollY > READING_PX),
    shown: '',
    place: null,
    isOpen: true,
  };
  kept = made;
  return made;
}

export type OpenFeed = { feed: Feed; left: ListPlace | null; onLeave: (place: ListPlace) => void };

export function useFeed(filter: Filter): OpenFeed {
  const here = useMemo(keep, []);
  const isReturn = useMemo(() => place.peek().isReturn, []);
  const left = useMemo(() => (isReturn ? here.place : null), []);
  const asked = JSON.stringify(toQuery(filter));
  useEffect(() => {
    here.isOpen = true;
    if (here.shown !== asked || here.feed.error.peek()) here.feed.show(filter);
    else if (!isReturn) here.feed.showWaiting();
    here.shown = asked;
  }, [asked]);
  useEffect(() => {
    const { path } = place.peek();
    const onScroll = () => {
      // Another page begins at its top, just before this one goes.
      if (scrollY > 0 || place.peek().path !== path) return;
      if (here.feed.waiting.peek().length > 0) here.feed.showWaiting();
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      removeEventListener('scroll', onScroll);
      here.isOpen = false;
    };
  }, []);
  useAgainWhenLive(here.feed.error.value, here.feed.retry);
  const onLeave = (leaving: ListPlace) => {
    here.place = leaving;
  };
  return { feed: here.feed, left, onLeave };
}
