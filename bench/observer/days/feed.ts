// A day as an observer meets it: the hooks become events, and every Stop or SessionEnd closes a batch.
import { basename } from 'node:path';
import { claudeCode } from '../../../src/agents/claude-code/agent.ts';
import type { HookCommand } from '../../../src/core/envelope.ts';
import type { SessionEvent, ToolEvent } from '../../../src/core/event.ts';
import type { Batch, Observed } from '../../../src/core/observation.ts';
import type { Told } from '../score.ts';
import type { Day, Hook } from './day.ts';

export type Observe = (batch: Batch) => Observed;

export function feedDay(day: Day, observe: Observe): Told[] {
  return day.sessions.flatMap((hooks, index) => {
    const session = index + 1;
    return feedSession(day, session, readEvents(`${day.name}-${session}`, hooks), observe);
  });
}

function readEvents(prefix: string, hooks: Hook[]): SessionEvent[] {
  return hooks.flatMap(({ at, payload }, index) => {
    const command = COMMANDS[String(payload.hook_event_name)] ?? 'save';
    const parsed = claudeCode.parseHook({ id: `${prefix}-${index + 1}`, command, payload, receivedAt: at });
    return parsed.kind === 'event' ? [parsed.event] : [];
  });
}

const COMMANDS: Record<string, HookCommand> = {
  SessionStart: 'context',
  UserPromptSubmit: 'new',
  Stop: 'summary',
  SessionEnd: 'cleanup',
};

function feedSession(day: Day, session: number, events: SessionEvent[], observe: Observe): Told[] {
  const knownIds = new Set<string>();
  const earlier: ToolEvent[] = [];
  const first = events.find((event) => event.kind === 'prompt')?.text ?? null;
  let turn = 0;
  let title: string | null = null;
  return splitTurns(events).map((batch) => {
    const hasPrompt = batch.some((event) => event.kind === 'prompt');
    if (hasPrompt) turn += 1;
    for (const event of batch) knownIds.add(event.id);
    const project = { name: basename(day.root), root: day.root };
    const observed = observe({
      project,
      session: { firstPrompt: first, title },
      events: batch,
      earlier: [...earlier],
    });
    const tools = batch.filter((event) => event.kind === 'tool');
    earlier.push(...tools);
    title = observed.title ?? title;
    const edited = tools.some((event) => event.action.type === 'edit' && event.error === null);
    const stopped = batch.some((event) => event.kind === 'stop');
    return { session, turn, knownIds: new Set(knownIds), hasPrompt, edited, stopped, observed };
  });
}

function splitTurns(events: SessionEvent[]): SessionEvent[][] {
  const turns: SessionEvent[][] = [[]];
  for (const event of events) {
    turns.at(-1)?.push(event);
    if (event.kind === 'stop' || event.kind === 'end') turns.push([]);
  }
  return turns.filter((turn) => turn.length > 0);
}
