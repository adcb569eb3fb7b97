// The feed outlives its page: whoever comes back finds it as it was, at the place where they left it.
import { useEffect, useMemo } from 'preact/hooks';
import { type Filter, toQuery } from '../../filter.ts';
import type { ListPlace } from '../../parts/virtual-list.tsx';
import { createFeed, type Feed } from './feed.ts';

/** Further down than this, nothing may move under the reader. */
const READING_PX = 160;

type Kept = { feed: Feed; shown: string; place: ListPlace | null; isOpen: boolean };

let kept: Kept | null = null;
let cameBack = false;

function keep(): Kept {
  if (kept) return kept;
  const made: Kept = {
    feed: createFeed(() => !made.isOpen || scrollY > READING_PX),
    shown: '',
    place: null,
    isOpen: true,
  };
  // Before the router shows the page, which is at once.
  addEventListener('popstate', () => setCameBack(true), { capture: true });
  kept = made;
  return made;
}

const setCameBack = (did: boolean) => {
  cameBack = did;
};

export type OpenFeed = { feed: Feed; place: ListPlace | null; onLeave: (place: ListPlace) => void };

export function useFeed(filter: Filter): OpenFeed {
  const here = useMemo(keep, []);
  const place = useMemo(() => (cameBack ? here.place : null), []);
  const asked = JSON.stringify(toQuery(filter));
  useEffect(() => {
    const isBack = cameBack;
    setCameBack(false);
    here.isOpen = true;
    if (here.shown !== asked || here.feed.error.peek()) here.feed.show(filter);
    else if (!isBack) here.feed.showWaiting();
    here.shown = asked;
  }, [asked]);
  useEffect(() => {
    const onScroll = () => {
      if (scrollY === 0 && here.feed.waiting.peek().length > 0) here.feed.showWaiting();
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      removeEventListener('scroll', onScroll);
      here.isOpen = false;
    };
  }, []);
  const onLeave = (left: ListPlace) => {
    here.place = left;
  };
  return { feed: here.feed, place, onLeave };
}
