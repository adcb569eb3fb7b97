// A batch in one small part, for a provider that found it too long: the most telling events, the rest in a line each.
import { type CondensedEvent, condenseEvents } from '../condense.ts';
import type { PromptInput, PromptOptions, PromptPart } from '../prompt.ts';
import { encodeWithin } from './encode-within.ts';
import { renderFrame, SMALL_FRAME } from './frame.ts';
import { lengthOf, renderPart, type WrittenEvent } from './part.ts';

/** The tags around the events and the request after them. */
const AROUND = 800;
const LINE = 110;
/** All prompts together, before any is told in more detail. */
const PROMPTS = 5000;
const DETAIL = 900;

export function renderShrunk(input: PromptInput, options: PromptOptions, maxChars: number): PromptPart {
  const { events, project, earlier } = input.batch;
  const frame = renderFrame(input, SMALL_FRAME);
  const condensed = condenseEvents(events, { root: project.root, earlier });
  const written = writeWithin(condensed, maxChars - frame.length - AROUND);
  const missing = condensed.length - written.length;
  return renderPart({
    frame,
    events: written,
    place: { number: 1, of: 1 },
    elsewhere: missing > 0 ? `<other_events note="${missing} less telling events are not shown"/>` : '',
    asksForSummary: events.some(({ kind }) => kind === 'stop' || kind === 'end'),
    language: options.language || options.mode.language,
  });
}

/** First a line for each, from the most telling on; then more of each, in the same order, as long as there is room. */
function writeWithin(events: CondensedEvent[], room: number): WrittenEvent[] {
  const texts = new Map<CondensedEvent, string>();
  let left = room;
  const order = byWeight(events);
  const prompts = events.filter(({ event }) => event.kind === 'prompt').length;
  const promptLine = Math.max(60, Math.min(400, Math.floor(PROMPTS / prompts)));
  for (const condensed of order) {
    const text = encodeWithin(condensed.shorten, condensed.event.kind === 'prompt' ? promptLine : LINE);
    const length = lengthOf({ condensed, text });
    if (length > left) continue;
    texts.set(condensed, text);
    left -= length;
  }
  for (const event of order) {
    const line = texts.get(event);
    if (line === undefined) continue;
    const text = encodeWithin(event.shorten, Math.min(event.maxChars, DETAIL, left + line.length));
    if (text.length <= line.length) continue;
    texts.set(event, text);
    left -= text.length - line.length;
  }
  return events.flatMap((condensed) => {
    const text = texts.get(condensed);
    return text === undefined ? [] : [{ condensed, text }];
  });
}

/** Of the same weight the later: what came last tells how it went. */
function byWeight(events: CondensedEvent[]): CondensedEvent[] {
  return events
    .map((event, at) => ({ event, at }))
    .sort((a, b) => b.event.weight - a.event.weight || b.at - a.at)
    .map(({ event }) => event);
}
