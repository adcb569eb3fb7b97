// Whose words an event brings, and whether it shows what was really asked or done.
import type { SessionEvent, ToolEvent } from '../../../core/event.ts';
import type { Origin } from '../../../core/observation.ts';
import { TRUST } from '../../../core/trust.ts';
import { soundAction } from '../../local/sound-action.ts';

/** Null for an event that brings no words. */
export function speakerOf(event: SessionEvent): Origin | null {
  if (event.kind === 'start' || event.kind === 'end') return null;
  if (event.kind === 'prompt') return 'user';
  return event.kind === 'tool' ? toolOrigin(event) : 'agent';
}

export const isOutside = (event: SessionEvent): boolean => TRUST[speakerOf(event) ?? 'agent'] === 1;

function toolOrigin({ tool, action }: ToolEvent): Origin {
  if (/^mcp__|Mcp/.test(tool)) return 'mcp';
  switch (soundAction(action).type) {
    case 'web':
      return 'web';
    case 'question':
      return 'user';
    case 'edit':
    case 'read':
    case 'search':
      return 'file';
    case 'command':
    case 'other':
      return 'command';
    default:
      return 'agent';
  }
}
