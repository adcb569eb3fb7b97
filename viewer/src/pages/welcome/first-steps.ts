// How far a new memory has come: what the worker has already, and what it is told of while somebody looks.
import { useEffect, useState } from 'preact/hooks';
import type { ListedSession } from '../../../../src/core/shapes/project.ts';
import { listen } from '../../stream.ts';
import { useAnswer } from '../../use-answer.ts';

export type Come = { isEvent: boolean; isPrompt: boolean; isObservation: boolean };

type Counts = { counts: { prompts: number; sessions: number } };

type SessionsAnswer = { items: Pick<ListedSession, 'observations'>[] };

const NOTHING: Come = { isEvent: false, isPrompt: false, isObservation: false };

/** Null: not known yet. What has come stays: a step is not unticked. */
export function useFirstSteps(): { come: Come; isKnown: boolean } {
  const stats = useAnswer<Counts>('/api/stats');
  // Observations are counted with those of commits, which were there before any session.
  const heard = useAnswer<SessionsAnswer>('/api/sessions');
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    const again = () => {
      stats.again();
      heard.again();
    };
    const note = (more: Partial<Come>) => () => setLive((before) => ({ ...before, isEvent: true, ...more }));
    const stops = [
      listen('event', note({})),
      listen('prompt', note({ isPrompt: true })),
      listen('observation', ({ session }) => session !== null && note({ isPrompt: true, isObservation: true })()),
      listen('reset', again),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const { prompts = 0, sessions = 0 } = stats.data?.counts ?? {};
  return {
    isKnown: stats.data !== null && heard.data !== null,
    come: {
      isEvent: live.isEvent || sessions + prompts > 0,
      isPrompt: live.isPrompt || prompts > 0,
      isObservation: live.isObservation || (heard.data?.items.some(({ observations }) => observations > 0) ?? false),
    },
  };
}
