// The texts of a batch by whose they are: what was asked and done here, what the agent tells of it, what came from outside.
import type { Batch } from '../../core/batch.ts';
import { cleanPrompt } from '../../core/clean-prompt.ts';
import type { SessionEvent, ToolEvent } from '../../core/event.ts';
import { soundAction } from '../../core/sound-action.ts';
import { eventText } from '../../observer/outside/event-text.ts';
import { isOutside, speakerOf } from '../../observer/outside/speaker.ts';
import type { Heard } from '../../observer/outside/takings.ts';
import { type CondensedEvent, condenseEvents } from '../condense.ts';

/** `events`: all that the model may have seen. */
export function hear({ project, session, earlier }: Batch, events: SessionEvent[]): Heard {
  const condensed = condenseEvents(events, project.root);
  const outside = (from: SessionEvent[]) => withinReach(from.filter(isOutside).map(outsideText));
  return {
    inside: [cleanPrompt(session.firstPrompt ?? ''), ...condensed.map(insideText)],
    told: condensed.map(toldText),
    outside: outside([...earlier, ...events]),
    outsideNow: outside(events),
  };
}

const textOf = ({ tell, maxChars }: CondensedEvent) => tell(maxChars);

function insideText(condensed: CondensedEvent): string {
  const { event } = condensed;
  const speaker = speakerOf(event);
  if (event.kind !== 'tool') return speaker === 'user' ? textOf(condensed) : '';
  if (speaker === 'user') return answersOf(event);
  // What was looked up is a deed of the agent, whatever was found.
  if (speaker === 'web') return event.action.type !== 'command' || isDone(event) ? firstLine(textOf(condensed)) : '';
  return isOutside(event) || speaker === 'agent' || !isDone(event) ? '' : textOf(condensed);
}

function toldText(condensed: CondensedEvent): string {
  const speaker = speakerOf(condensed.event);
  if (speaker === 'mcp') return firstLine(textOf(condensed));
  return speaker === 'agent' ? textOf(condensed) : '';
}

/** Condensed, a tool's first line is what it was asked for. */
const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';
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
