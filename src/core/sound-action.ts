// Checks an action before the rules read it: an old store or a foreign host may hold fields of another shape.
import type { Action, Hunk } from './event.ts';

/** The same action with its texts and lists made sure of; what cannot be read becomes `other`. */
export function soundAction(action: Action): Action {
  switch (action?.type) {
    case 'edit':
      return isText(action.file) ? { ...action, hunks: list(action.hunks).filter(isHunk) } : unreadable(action);
    case 'command':
      return isText(action.command)
        ? { ...action, stdout: text(action.stdout), stderr: text(action.stderr) }
        : unreadable(action);
    case 'read':
      return isText(action.file) ? action : unreadable(action);
    case 'search':
      return isText(action.query) ? action : unreadable(action);
    case 'web':
      return isText(action.target) ? action : unreadable(action);
    case 'todos':
      return { ...action, items: list(action.items).filter((item) => isText(item?.text)) };
    case 'task':
      return { ...action, id: textOrNull(action.id), text: textOrNull(action.text) };
    case 'question':
      return { ...action, answers: list(action.answers).filter(isAnswer) };
    case 'plan':
      return isText(action.text) ? action : unreadable(action);
    case 'agent':
      return { ...action, description: text(action.description), result: textOrNull(action.result) };
    case 'memory':
    case 'other':
      return action;
    default:
      return unreadable(action);
  }
}

function unreadable(action: unknown): Action {
  return { type: 'other', input: action, output: null };
}

function isHunk(hunk: Hunk): boolean {
  return list(hunk?.lines).every(isText) && Array.isArray(hunk?.lines);
}

function isAnswer(one: { question: string; answer: string; options: string[] }): boolean {
  return isText(one?.question) && isText(one.answer) && list(one.options).every(isText) && Array.isArray(one.options);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const text = (value: unknown): string => (isText(value) ? value : '');
const textOrNull = (value: unknown): string | null => (isText(value) ? value : null);
const list = <T>(value: T[]): T[] => (Array.isArray(value) ? value : []);
