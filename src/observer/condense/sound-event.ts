// Makes sure of an event's texts and lists before they are read: an old store or a foreign host may hold other shapes.
import type { Action, SessionEvent, ToolEvent } from '../../core/event.ts';
import { soundAction } from '../../core/sound-action.ts';

export function soundEvent(event: SessionEvent): SessionEvent {
  switch (event.kind) {
    case 'prompt':
      return { ...event, text: text(event.text) };
    case 'stop':
      return { ...event, message: text(event.message) };
    case 'subagent':
      return { ...event, agentType: text(event.agentType), message: text(event.message) };
    case 'compaction':
      return { ...event, summary: text(event.summary) };
    case 'tool':
      return soundTool(event);
    default:
      return event;
  }
}

function soundTool(event: ToolEvent): ToolEvent {
  const error = event.error === null ? null : text(event.error);
  // soundAction knows no `other`: it would wrap it once more.
  const action = event.action?.type === 'other' ? event.action : soundDetails(soundAction(event.action));
  return { ...event, tool: text(event.tool), error, action };
}

/** What the rules of the local observer never read. */
function soundDetails(action: Action): Action {
  switch (action.type) {
    case 'command':
      return { ...action, description: text(action.description) };
    case 'read':
      return { ...action, content: text(action.content) };
    case 'search':
      return {
        ...action,
        path: text(action.path) || null,
        files: texts(action.files),
        matches: number(action.matches),
      };
    case 'web':
      return { ...action, text: text(action.text) };
    case 'agent':
      return { ...action, prompt: text(action.prompt) };
    default:
      return action;
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
