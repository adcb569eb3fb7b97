// The texts of a batch by whose they are: what was asked and done here, what the agent tells of it, what came from outside.
import type { Batch } from '../../../core/batch.ts';
import { cleanPrompt } from '../../../core/clean-prompt.ts';
import type { SessionEvent, ToolEvent } from '../../../core/event.ts';
import { soundAction } from '../../../core/sound-action.ts';
import { type CondensedEvent, condenseEvents } from '../../condense.ts';
import { eventText } from './event-text.ts';
import { isOutside, speakerOf } from './speaker.ts';

export type Heard = {
  /** The user's words and what tools really did, as far as the model was shown it: a whole long file would bear out anything. */
  inside: string[];
  /** What the agent and its subagents say, to MCP tools too: it may repeat what was read outside. */
  told: string[];
  /** All that came from outside, in earlier turns too: the agent may have said it again since. */
  outside: string[];
  /** What of it the model was shown now. */
  outsideShown: string[];
};

/** `events`: all that the model may have seen. */
export function hear({ project, session, earlier }: Batch, events: SessionEvent[]): Heard {
  const condensed = condenseEvents(events, { root: project.root, earlier });
  const outsideShown = condensed.filter(({ event }) => isOutside(event)).map(({ text }) => splitHeadline(text).answer);
  return {
    inside: [cleanPrompt(session.firstPrompt ?? ''), ...condensed.map(insideText)],
    told: condensed.map(toldText),
    outside: [...outsideShown, ...withinReach([...earlier, ...events].filter(isOutside).map(outsideText))],
    outsideShown,
  };
}

function insideText({ event, text }: CondensedEvent): string {
  const speaker = speakerOf(event);
  if (event.kind !== 'tool') return speaker === 'user' ? text : '';
  if (speaker === 'user') return answersOf(event);
  // What was looked up is a deed of the agent, whatever was found.
  if (speaker === 'web') return event.action.type !== 'command' || isDone(event) ? splitHeadline(text).asked : '';
  return isOutside(event) || speaker === 'agent' || !isDone(event) ? '' : text;
}

function toldText({ event, text }: CondensedEvent): string {
  const speaker = speakerOf(event);
  if (speaker === 'mcp') return splitHeadline(text).asked;
  return speaker === 'agent' ? text : '';
}

/** Condensed, a tool's first line is what it was asked for. */
function splitHeadline(text: string): { asked: string; answer: string } {
  const [asked = '', ...answer] = text.split('\n');
  return { asked, answer: answer.join('\n') };
}

/** Questions and options are the agent's. */
function answersOf({ action }: ToolEvent): string {
  const sound = soundAction(action);
  return sound.type === 'question' ? sound.answers.map(({ answer }) => answer).join('\n') : '';
}

/** What was refused was not done; a command that ended red has run all the same. */
const isDone = ({ error }: ToolEvent): boolean => error === null || /^Exit code \d/.test(String(error));

function outsideText(event: SessionEvent): string {
  if (event.kind !== 'tool') return '';
  const none = { target: null, input: null, command: null };
  const { target: _target, input: _input, command: _command, ...answer } = { ...none, ...event.action };
  return eventText({ ...event, action: { type: 'other', input: null, output: answer } });
}

/** Characters read of one answer, and of all together, the last first: tools can bring megabytes. */
const READ_OF_ONE = 100_000;
const READ_OF_ALL = 1_000_000;

function withinReach(texts: string[]): string[] {
  let left = READ_OF_ALL;
  return texts.toReversed().map((text) => {
    const read = text.slice(0, Math.min(READ_OF_ONE, left));
    left -= read.length;
    return read;
  });
}
