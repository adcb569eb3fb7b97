// One tool use in a headline and, as far as there is room, what came of it.
import type { Action, ToolEvent } from '../../core/event.ts';
import { tellEdit, tellRead, tellSearch } from './file-tools.ts';
import { condenseOutput } from './output.ts';
import { condensePage } from './page.ts';
import { tellCommand, tellOther, tellRun } from './run-tools.ts';
import { tellAgent, tellQuestion, tellTodos } from './talk-tools.ts';
import { joined, type Told, type Where } from './told.ts';
import { withoutRoot } from './without-root.ts';
import { condenseWords, oneLine } from './words.ts';

/** Of an event that is sound. */
export function tellTool(event: ToolEvent, root: string): Told {
  const { action } = event;
  const told = tellAction(action, { root, cwd: event.cwd });
  if (event.error === null) return told;
  const error = withoutRoot(reasonOf(event.error), root);
  if (action.type === 'command') {
    return { ...told, body: (maxChars) => tellRun(withoutRoot(action.command, root), error, maxChars) };
  }
  // Why it failed, and what was meant: a rejected plan or edit is worth both.
  return {
    headline: `failed: ${told.headline}`,
    body: (maxChars) => {
      const why = condenseOutput(error, Math.floor(maxChars * 0.75));
      const meant = maxChars - why.length > 120 ? told.body(maxChars - why.length - 8) : '';
      return joined([why, meant && `meant:\n${meant}`]);
    },
  };
}

/** A rejection comes with the host's advice to its agent; only what the user said counts. */
function reasonOf(error: string): string {
  if (!/^The user doesn't want to (?:proceed|take this action)/.test(error))
    return error.replace(/^Exit code \d+\n?/, '');
  const said = error.split('the user said:')[1]?.trim();
  return said ? `rejected by the user, who said: ${said}` : 'rejected by the user';
}

function tellAction(action: Action, where: Where): Told {
  switch (action.type) {
    case 'edit':
      return tellEdit(action, where);
    case 'command':
      return tellCommand(action, where);
    case 'read':
      return tellRead(action, where);
    case 'search':
      return tellSearch(action, where);
    case 'web':
      return { headline: oneLine(action.target, 300), body: (maxChars) => condensePage(action.text, maxChars) };
    case 'todos':
      return tellTodos(action);
    case 'task':
      return {
        headline: oneLine(`task ${action.id ?? ''} ${action.status ?? ''}: ${action.text ?? ''}`, 300),
        body: () => '',
      };
    case 'question':
      return tellQuestion(action);
    case 'plan':
      return { headline: 'plan put to the user', body: (maxChars) => condenseWords(action.text, maxChars, 0.75) };
    case 'agent':
      return tellAgent(action);
    case 'memory':
      return { headline: '', body: () => '' };
    default:
      return tellOther(action, where);
  }
}
