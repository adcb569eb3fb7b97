// How much room an event deserves: words of the user, changes and failures more than looking around.
import type { Action, SessionEvent, ToolEvent } from '../../core/event.ts';

export type Worth = {
  /** How large a share it gets where there is not room for all. */
  weight: number;
  /** More than this is never worth it. */
  maxChars: number;
};

export function worthOf(event: SessionEvent): Worth {
  switch (event.kind) {
    case 'prompt':
      return { weight: 10, maxChars: 3000 };
    case 'stop':
      return { weight: 10, maxChars: 4000 };
    case 'compaction':
      return { weight: 4, maxChars: 4000 };
    case 'subagent':
      return { weight: 4, maxChars: 3000 };
    case 'tool':
      return worthOfTool(event);
    default:
      return { weight: 0.5, maxChars: 300 };
  }
}

/** The user's words and the agent's last ones are never squeezed. */
export function isSpoken(event: SessionEvent): boolean {
  return (
    event.kind === 'prompt' || event.kind === 'stop' || (event.kind === 'tool' && event.action?.type === 'question')
  );
}

const OF_ACTION: Record<Action['type'], Worth> = {
  edit: { weight: 3, maxChars: 3000 },
  command: { weight: 2.5, maxChars: 3000 },
  question: { weight: 10, maxChars: 3000 },
  plan: { weight: 6, maxChars: 4000 },
  agent: { weight: 4, maxChars: 3000 },
  web: { weight: 1.5, maxChars: 1500 },
  other: { weight: 2, maxChars: 2000 },
  todos: { weight: 2, maxChars: 1200 },
  task: { weight: 1, maxChars: 400 },
  read: { weight: 1, maxChars: 600 },
  search: { weight: 1, maxChars: 500 },
  memory: { weight: 0, maxChars: 0 },
};

function worthOfTool(event: ToolEvent): Worth {
  const worth = OF_ACTION[event.action?.type] ?? OF_ACTION.other;
  const raised =
    event.error === null ? worth : { weight: Math.max(worth.weight, 4), maxChars: Math.max(worth.maxChars, 2000) };
  // A subagent's steps are told again in its report.
  return event.agentId === null ? raised : { ...raised, weight: raised.weight / 2 };
}
