// Events cut to what is worth telling: diffs instead of files, outputs by what went wrong, each thing once.

import { cleanPrompt } from '../core/clean-prompt.ts';
import type { SessionEvent, ToolEvent } from '../core/event.ts';
import { firstError } from './condense/first-error.ts';
import { mergeEvents } from './condense/merge.ts';
import { shareRoom } from './condense/share-room.ts';
import { soundEvent } from './condense/sound-event.ts';
import { tellTool } from './condense/tool.ts';
import { condenseWords, oneLine } from './condense/words.ts';
import { isSpoken, worthOf } from './condense/worth.ts';

export type CondensedEvent = {
  event: SessionEvent;
  /** How often the same was done: a file that was read again. */
  times: number;
  /** Plain text, not encoded. At most maxChars long. */
  text: string;
  maxChars: number;
  /** How telling it is, for whoever has to leave something out. */
  weight: number;
  /** The same again, shorter. */
  shorten: (maxChars: number) => string;
};

/** A turn's tools together: a few are told in detail, many get less each. */
const ROOM = 12_000;

/** In order, each thing once, and as much of each as `room` allows. `earlier` names the tasks of earlier turns. */
export function condenseEvents(
  events: SessionEvent[],
  { root, earlier = [], room = ROOM }: { root: string; earlier?: ToolEvent[]; room?: number },
): CondensedEvent[] {
  const all = mergeEvents(events, earlier).map(({ event, shown, times }) => {
    const { weight, maxChars } = worthOf(shown);
    const shorten = (max: number) => condenseEvent(shown, { maxChars: max, root });
    return { event, times, text: shorten(maxChars), maxChars, weight, shorten };
  });
  const squeezed = all.filter(({ event }) => !isSpoken(event));
  const claims = squeezed.map(({ text, weight }) => ({ wanted: text.length, weight }));
  const shares = new Map(shareRoom(claims, room).map((share, at) => [squeezed[at], share]));
  return all.map((one) => {
    const maxChars = shares.get(one) ?? one.text.length;
    return maxChars < one.text.length ? { ...one, text: one.shorten(maxChars), maxChars } : one;
  });
}

/** One event as plain text of at most maxChars; '' when it tells nothing. */
export function condenseEvent(told: SessionEvent, { maxChars, root }: { maxChars: number; root: string }): string {
  const event = soundEvent(told);
  switch (event.kind) {
    case 'prompt':
      return condenseWords(cleanPrompt(event.text), maxChars);
    case 'stop':
      return condenseWords(event.message, maxChars, 0.5);
    case 'compaction':
      return condenseWords(event.summary, maxChars, 0.5);
    case 'subagent':
      return condenseWords(`${event.agentType || 'subagent'} reported: ${event.message}`, maxChars);
    case 'tool':
      return condenseTool(event, maxChars, root);
    case 'unknown':
      return oneLine(`${event.name} ${JSON.stringify(event.raw) ?? ''}`, maxChars);
    default:
      return '';
  }
}

function condenseTool(event: ToolEvent, maxChars: number, root: string): string {
  const { headline, body } = tellTool(event, root);
  if (headline.length + 8 > maxChars) return oneLine(headline, maxChars);
  const room = maxChars - headline.length - 1;
  const rest = room < SMALL_ROOM ? tellShortly(event, body, room) : body(room);
  return rest === '' ? headline : `${headline}\n${rest}`;
}

/** Less than this holds no choice of lines: all of it, or why it failed. */
const SMALL_ROOM = 150;

function tellShortly(event: ToolEvent, body: (maxChars: number) => string, room: number): string {
  const all = body(2 * SMALL_ROOM);
  if (all.length <= room) return all;
  return event.error === null ? '' : oneLine(firstError(event.error) ?? event.error, room);
}
