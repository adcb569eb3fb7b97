// What happens in the worker, live: read by fetch, because a token belongs in a header; taken up again by itself, and
// let go of while nobody sees it.
import { signal } from '@preact/signals';
import type { StreamMessage, StreamType } from '../../src/core/shapes/stream.ts';
import { authorization } from './api.ts';
import { untilVisible, whenHidden } from './hidden.ts';
import { parseEvents } from './sse.ts';
import { entry, leave } from './token.ts';

/** connecting: also in a tab that let go because nobody sees it. away: the worker does not answer; since when. */
export type Connection = { kind: 'connecting' } | { kind: 'live' } | { kind: 'away'; since: number };

export const connection = signal<Connection>({ kind: 'connecting' });

type Listener<Type extends StreamType> = (data: Extract<StreamMessage, { type: Type }>['data']) => void;

const listeners = new Map<string, Set<(data: never) => void>>();

/** Returns how to stop it. */
export function listen<Type extends StreamType>(type: Type, listener: Listener<Type>): () => void {
  const all = listeners.get(type) ?? new Set();
  listeners.set(type, all.add(listener as (data: never) => void));
  return () => {
    all.delete(listener as (data: never) => void);
  };
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** So that going to another tab and back costs nothing. */
const HIDDEN_MS = 5000;

/** Never ends. A worker that was restarted is another one: what it cannot replay it says with `reset`. */
export async function watch(): Promise<never> {
  let lastId = '';
  let waitMs = FIRST_WAIT_MS;
  let isFirst = true;
  for (;;) {
    if (entry.value.kind !== 'in') {
      await nextEntry();
      continue;
    }
    const life = createLife();
    try {
      const response = await fetch('/stream', {
        headers: { ...authorization(), ...(lastId ? { 'last-event-id': lastId } : {}) },
        signal: life.signal,
      });
      if (response.status === 401) leave();
      if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`);
      connection.value = { kind: 'live' };
      waitMs = FIRST_WAIT_MS;
      // The page has asked already, and nothing says what came since.
      if (!isFirst && !lastId) tell('reset', { reason: 'The stream was not heard from the beginning.' });
      for await (const { id, type, data } of parseEvents(response.body)) {
        life.sign();
        if (id) lastId = id;
        if (data) tell(type, JSON.parse(data));
      }
    } catch {
      // The worker ended, hangs or never was there: it is asked again, and the person sees that it is away.
    } finally {
      life.end();
      isFirst = false;
    }
    if (life.isLetGo()) {
      if (connection.value.kind === 'live') connection.value = { kind: 'connecting' };
      await untilVisible();
      continue;
    }
    if (connection.value.kind !== 'away') connection.value = { kind: 'away', since: Date.now() };
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 1.6, LONGEST_WAIT_MS);
  }
}

/** The worker gives a sign of life every five seconds. One that hangs keeps its connections, and says nothing. */
const SILENT_MS = 15_000;

function createLife() {
  const stop = new AbortController();
  let timer = setTimeout(() => stop.abort(), SILENT_MS);
  let isLetGo = false;
  const stopLooking = whenHidden(() => {
    isLetGo = true;
    stop.abort();
  }, HIDDEN_MS);
  return {
    signal: stop.signal,
    sign() {
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), SILENT_MS);
    },
    end() {
      clearTimeout(timer);
      stopLooking();
    },
    isLetGo: () => isLetGo,
  };
}

function tell(type: string, data: unknown): void {
  for (const listener of listeners.get(type) ?? []) listener(data as never);
}

const nextEntry = () =>
  new Promise<void>((resolve) => {
    const stop = entry.subscribe(({ kind }) => {
      if (kind !== 'in') return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
