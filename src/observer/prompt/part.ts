// The text of one part: the frame, its events as numbered elements, and what is asked for.
import { oneLine } from '../condense/words.ts';
import type { CondensedEvent } from '../condense.ts';
import { encodeAttribute } from '../encode.ts';
import type { PromptPart } from '../prompt.ts';

/** An event with its text as it will stand in the prompt: encoded. */
export type WrittenEvent = { condensed: CondensedEvent; text: string };

export type PartInput = {
  frame: string;
  events: WrittenEvent[];
  /** Which of how many, for a batch that is told in several. */
  place: { number: number; of: number };
  /** What the other parts hold, one line each; '' when there are none. */
  elsewhere: string;
  asksForSummary: boolean;
  language: string | null;
};

export function renderPart({ frame, events, place, elsewhere, asksForSummary, language }: PartInput): PromptPart {
  const part = place.of > 1 ? ` part="${place.number} of ${place.of}"` : '';
  const text = [
    frame,
    elsewhere,
    `<events${part}>`,
    ...events.map((event, at) => renderEvent(event, at + 1)),
    '</events>',
    request(asksForSummary, language),
  ]
    .filter(Boolean)
    .join('\n');
  return { text, events: events.map(({ condensed }) => condensed.event), asksForSummary };
}

/** What it takes in a prompt, whatever its number. */
export function lengthOf(event: WrittenEvent): number {
  return renderEvent(event, 9999).length + 1;
}

function renderEvent({ condensed, text }: WrittenEvent, number: number): string {
  const { event, times } = condensed;
  const what =
    event.kind === 'tool'
      ? `tool="${encodeAttribute(oneLine(String(event.tool), 80))}"`
      : `kind="${KINDS[event.kind]}"`;
  const more = [
    event.kind === 'tool' && event.error !== null ? ' failed="yes"' : '',
    event.agentId !== null && event.kind === 'tool' ? ' by="subagent"' : '',
    times > 1 ? ` times="${times}"` : '',
  ];
  return `<event n="${number}" ${what}${more.join('')}>\n${text}\n</event>`;
}

const KINDS = {
  prompt: 'user prompt',
  said: 'what the agent said meanwhile',
  stop: 'closing message of the agent',
  subagent: 'report of a subagent',
  compaction: 'summary of the session so far',
  start: 'start',
  end: 'end',
  unknown: 'unknown',
};

function request(asksForSummary: boolean, language: string | null): string {
  const inLanguage = language ? ` Write in ${encodeAttribute(oneLine(language, 60))}.` : '';
  const wanted = asksForSummary
    ? 'The turn is over: write the observations, then the <summary> of the turn, then the <session>.'
    : 'The turn goes on: write the observations only, no <summary> and no <session>.';
  return `${wanted} Answer in XML only.${inLanguage}`;
}
