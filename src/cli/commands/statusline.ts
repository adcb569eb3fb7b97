// `claude-mem statusline`: one short line for the agent's status line. Never starts a worker, never fails.
import { peek } from '../../client/api.ts';
import type { Silence, StatuslineAnswer } from '../../core/shapes/silence.ts';
import { sayUntil } from '../../core/silence.ts';
import { findPaths, isIncognito } from '../../paths.ts';

const TIMEOUT_MS = 150;

/** `input`: what the agent gives it; else it is read from stdin. */
export async function sayStatusline(paths = findPaths(), input?: string, timeoutMs = TIMEOUT_MS): Promise<string> {
  if (isIncognito()) return 'mem incognito';
  const { session, cwd } = readPlace(input ?? (process.stdin.isTTY ? '' : await Bun.stdin.text()));
  const query = new URLSearchParams({ ...(cwd ? { cwd } : {}), ...(session ? { session } : {}) });
  const answer = await peek(paths, `/api/statusline?${query}`, timeoutMs);
  if (answer.kind !== 'answer') return `mem ${answer.kind}`;
  // The worker is ours, so its answers are trusted to keep to their contract.
  const { silence, observations, given, waiting, isHealthy } = answer.body as StatuslineAnswer;
  if (silence) return `mem ${sayPause(silence, Date.now())}`;
  // A worker of before the update does not count what was given.
  const parts = [
    observations.toLocaleString('en'),
    ...(given > 0 ? [`${given} in context`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  return `mem ${[...parts, ...(isHealthy ? [] : ['stuck'])].join(' · ')}`;
}

function sayPause({ kind, scope, until, reason }: Silence, now: number): string {
  if (reason) return 'off: see claude-mem status';
  if (kind !== 'paused') return scope === 'everything' ? 'off' : 'off here';
  const where = { everything: 'paused', project: 'paused here', session: 'incognito' }[scope];
  return `${where}${sayUntil(until, now)}`;
}

/** Where the agent is at work; whatever cannot be read, the folder we were called in. */
function readPlace(input: string): { session: string; cwd: string } {
  try {
    const { session_id, cwd, workspace } = JSON.parse(input) ?? {};
    const folder = [workspace?.project_dir, cwd].find((path) => typeof path === 'string' && path.startsWith('/'));
    return { session: typeof session_id === 'string' ? session_id : '', cwd: folder ?? findFolder() };
  } catch {
    // Not JSON: called by hand.
    return { session: '', cwd: findFolder() };
  }
}

/** '' when it is not there any more. */
function findFolder(): string {
  try {
    return process.cwd();
  } catch {
    // It was removed: a line without a project is better than none.
    return '';
  }
}
