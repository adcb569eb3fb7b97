// A batch told in as few parts as it takes: usually one, a very long turn in several by time.
import { oneLine } from '../condense/words.ts';
import { type CondensedEvent, condenseEvents } from '../condense.ts';
import { encodeObserved } from '../encode.ts';
import type { PromptInput, PromptOptions, PromptPart } from '../prompt.ts';
import { encodeWithin } from './encode-within.ts';
import { FULL_FRAME, renderFrame } from './frame.ts';
import { lengthOf, renderPart, type WrittenEvent } from './part.ts';

/** The tags around the events and the request after them. */
const AROUND = 800;
/** For the list of what the other parts hold. */
const ELSEWHERE = 4000;
const ELSEWHERE_LINE = 110;
/** All prompts in that list together, and each. */
const ELSEWHERE_PROMPTS = 2500;
const ELSEWHERE_PROMPT = 500;

export function renderParts(input: PromptInput, options: PromptOptions, maxChars: number): PromptPart[] {
  const { events, project, earlier } = input.batch;
  const written = condenseEvents(events, { root: project.root, earlier }).map(writeEvent);
  const frame = renderFrame(input, FULL_FRAME);
  const room = maxChars - frame.length - AROUND;
  const groups = lengthOfAll(written) <= room ? [written] : splitByTime(written, room - ELSEWHERE - 200);
  const hasEnded = events.some(({ kind }) => kind === 'stop' || kind === 'end');
  return groups.map((group, at) =>
    renderPart({
      frame,
      events: group,
      place: { number: at + 1, of: groups.length },
      elsewhere: groups.length > 1 ? renderElsewhere(groups, at) : '',
      asksForSummary: hasEnded && at === groups.length - 1,
      language: options.language || options.mode.language,
    }),
  );
}

function writeEvent(condensed: CondensedEvent): WrittenEvent {
  return { condensed, text: encodeWithin(condensed.shorten, condensed.maxChars, condensed.text) };
}

const lengthOfAll = (events: WrittenEvent[]) => events.reduce((sum, event) => sum + lengthOf(event), 0);

/** Parts of about the same length, none longer than the room. */
function splitByTime(events: WrittenEvent[], room: number): WrittenEvent[][] {
  const total = lengthOfAll(events);
  const target = total / Math.ceil(total / (room * 0.9));
  const groups: WrittenEvent[][] = [[]];
  let length = 0;
  for (const event of events) {
    const added = lengthOf(event);
    if (length > 0 && (length + added > room || length + added / 2 > target)) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(event);
    length += added;
  }
  return groups;
}

/** The rest of the turn in a line each, the user's prompts in some more: a part must know what was wanted and what came of it. */
function renderElsewhere(groups: WrittenEvent[][], here: number): string {
  const prompts = groups.flat().filter(({ condensed }) => condensed.event.kind === 'prompt').length;
  const promptChars = Math.max(40, Math.min(ELSEWHERE_PROMPT, Math.floor(ELSEWHERE_PROMPTS / prompts)));
  const lines = groups.flatMap((group, at) =>
    at === here ? ['(the events of this part)'] : group.map(({ condensed }) => elsewhereLine(condensed, promptChars)),
  );
  const shown = withinRoom(lines, ELSEWHERE - 200);
  return `<other_events note="in the other parts of this turn, recorded there">\n${shown.join('\n')}\n</other_events>`;
}

function elsewhereLine({ event, shorten }: CondensedEvent, promptChars: number): string {
  const tell = (chars: number) => encodeWithin((max) => oneLine(shorten(max), max), chars);
  if (event.kind === 'prompt') return `${PROMPT}${tell(promptChars)}`;
  const name = event.kind === 'tool' ? oneLine(String(event.tool), 60) : event.kind;
  const failed = event.kind === 'tool' && event.error !== null ? ' (failed)' : '';
  return `- ${encodeObserved(name)}${failed}: ${tell(ELSEWHERE_LINE)}`;
}

const PROMPT = '- user prompt: ';

/** Prompts are kept, then what is nearest to the end: what came last tells how it went. */
function withinRoom(lines: string[], room: number): string[] {
  let left = room;
  const kept = new Set<number>();
  const take = (at: number) => {
    const cost = (lines[at]?.length ?? 0) + 1;
    if (kept.has(at) || cost > left) return;
    left -= cost;
    kept.add(at);
  };
  lines.forEach((line, at) => {
    if (!line.startsWith('- ') || line.startsWith(PROMPT)) take(at);
  });
  for (let at = lines.length - 1; at >= 0; at--) take(at);
  const shown = lines.filter((_, at) => kept.has(at));
  return kept.size < lines.length ? [...shown, `- … and ${lines.length - kept.size} more`] : shown;
}
