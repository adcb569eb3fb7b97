// What is paused or off, as every page knows it: asked for anew whenever it may have changed.
import { signal } from '@preact/signals';
import type { Silence, SilenceAnswer } from '../../src/core/shapes/silence.ts';
import { type Ask, ask } from './api.ts';
import { connection, listen } from './stream.ts';
import { entry } from './token.ts';

/** Empty until it is known. */
export const silences = signal<readonly Silence[]>([]);

/** The one that holds everywhere, if there is one: where it is off, a pause is no news. */
export function findWholeSilence(): Silence | null {
  const whole = silences.value.filter(({ scope }) => scope === 'everything');
  return whole.find(({ kind }) => kind === 'off') ?? whole[0] ?? null;
}

/** For what the stream does not tell in time, such as an end that this machine slept through. */
const EVERY_MS = 30_000;

/** Once, by the shell. Returns how to stop. */
export function followSilences(): () => void {
  const look = () => {
    const isIn = entry.peek().kind === 'in' && connection.peek().kind === 'live';
    if (isIn && document.visibilityState === 'visible') void readSilences();
  };
  const timer = setInterval(look, EVERY_MS);
  addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
  const stops = [
    // Also when the worker is back: another one may have been told otherwise.
    connection.subscribe(look),
    listen('reset', look),
    // Not what it tells: a person may have changed it here since.
    listen('silences', look),
  ];
  return () => {
    clearInterval(timer);
    removeEventListener('focus', look);
    document.removeEventListener('visibilitychange', look);
    for (const stop of stops) stop();
  };
}

/** How often something was changed here: asked for, and answered. */
let changes = 0;

export async function readSilences(): Promise<void> {
  const before = changes;
  try {
    const answer = await ask<SilenceAnswer>('/api/pauses');
    // What was changed meanwhile brings its own answer: this one may be of before it.
    if (changes === before) note(answer);
  } catch {
    // What was known last holds until the worker answers; that it is away is said elsewhere.
  }
}

/** Rejects with an ApiError. */
export const pause = (whose: { minutes?: number; project?: string } = {}) => change({ method: 'POST', body: whose });

/** Of everything, unless a project or a session is named. Rejects with an ApiError. */
export const resume = ({ scope, name }: Pick<Silence, 'scope' | 'name'>) =>
  change({ method: 'DELETE', query: scope === 'everything' ? {} : { [scope]: name } });

async function change(wanted: Ask): Promise<void> {
  changes++;
  try {
    note(await ask<SilenceAnswer>('/api/pauses', wanted));
  } finally {
    changes++;
  }
}

let ending: ReturnType<typeof setTimeout> | undefined;
/** Beyond this a timer of the browser's would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A pause that ends by itself is gone from the page in that moment. */
function note({ silences: answer }: SilenceAnswer): void {
  silences.value = answer;
  clearTimeout(ending);
  const ends = answer.flatMap(({ until }) => (until === null ? [] : [until]));
  const inMs = Math.min(...ends) - Date.now();
  if (inMs < LONGEST_MS) ending = setTimeout(readSilences, Math.max(inMs, 0) + 500);
}
