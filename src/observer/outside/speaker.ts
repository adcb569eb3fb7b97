// Whose words an event brings, and whether it shows what was really asked or done.
import type { Action, SessionEvent, ToolEvent } from '../../core/event.ts';
import { type Fetching, readFetching } from '../../core/fetch.ts';
import type { Origin } from '../../core/observation.ts';
import { soundAction } from '../../core/sound-action.ts';
import { INJECTED_TRUST, TRUST } from '../../core/trust.ts';

/** Null for an event that brings no words. */
export function speakerOf(event: SessionEvent): Origin | null {
  if (event.kind === 'start' || event.kind === 'end') return null;
  if (event.kind === 'prompt') return 'user';
  return event.kind === 'tool' ? toolOrigin(event) : 'agent';
}

/** Also of what brought something from outside besides. */
export const isOutside = (event: SessionEvent): boolean =>
  TRUST[speakerOf(event) ?? 'agent'] < INJECTED_TRUST ||
  (event.kind === 'tool' && (event.isForeign === true || fetching(event.action) !== null));

function fetching(action: Action): Fetching {
  const sound = soundAction(action);
  return sound.type === 'command' ? readFetching(sound.command) : null;
}

function toolOrigin({ tool, action }: ToolEvent): Origin {
  if (/^mcp__|Mcp/.test(tool)) return 'mcp';
  const sound = soundAction(action);
  switch (sound.type) {
    case 'web':
      return 'web';
    case 'question':
      return 'user';
    case 'edit':
    case 'read':
    case 'search':
      return 'file';
    case 'command':
      return fetching(sound) === 'first' ? 'web' : 'command';
    case 'other':
      // Nobody knows where a tool that we do not know has its words from.
      return sound.isOfHost ? 'command' : 'mcp';
    default:
      return 'agent';
  }
}
