// What an event was about, in a line.
import type { Action, SessionEvent } from './event.ts';
import { oneLine } from './one-line.ts';

/** Null when there is nothing short to say. Files inside of `root` are named from there. */
export function subjectOf(event: SessionEvent, root: string): string | null {
  const text = wordsOf(event, root);
  return text === null ? null : oneLine(text) || null;
}

function wordsOf(event: SessionEvent, root: string): string | null {
  if (event.kind === 'tool') return actionWords(event.action, root);
  if (event.kind === 'stop') return event.message;
  if (event.kind === 'subagent') return event.agentType;
  if (event.kind === 'start') return event.source;
  if (event.kind === 'end') return event.reason;
  return event.kind === 'unknown' ? event.name : null;
}

function actionWords(action: Action, root: string): string | null {
  if (action.type === 'edit' || action.type === 'read') return fromRoot(action.file, root);
  if (action.type === 'command') return action.command;
  if (action.type === 'search') return action.query;
  if (action.type === 'web') return action.target;
  if (action.type === 'agent') return action.description;
  if (action.type === 'task') return action.text;
  if (action.type === 'question') return action.answers[0]?.question ?? null;
  return null;
}

const fromRoot = (file: string, root: string) =>
  root !== '' && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
