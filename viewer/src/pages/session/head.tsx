// What a session was about, where, when and how long it went, and the command that goes on with it.
import type { WholeSession } from '../../../../src/core/shapes/memory.ts';
import { copy } from '../../copy.ts';
import { formatCount, formatDateTime, formatDay, formatLength, formatTime, formatTokens } from '../../format.ts';
import { useTitle } from '../../page-title.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { nameProject } from '../../projects.ts';
import { nameSession } from '../sessions/name-session.ts';
import { SessionStatus } from '../sessions/session-status.tsx';

/** How each agent goes on with a session of its own. */
const RESUME: Record<string, (id: string) => string> = {
  'claude-code': (id) => `claude --resume ${id}`,
  codex: (id) => `codex resume ${id}`,
};

export function SessionHead({ session }: { session: WholeSession }) {
  const { project, key, branch, host, startedAt, updatedAt, prompts, observations, spend } = session;
  useTitle(nameSession(session));
  const id = session.session;
  return (
    <header class="session-head">
      <h1 dir="auto">{nameSession(session)}</h1>
      <p class="session-facts">
        <strong>{nameProject(project, key)}</strong>
        {branch && <span class="mono">{branch}</span>}
        <a
          href={`/view/timeline?at=${encodeURIComponent(new Date(startedAt).toISOString())}`}
          title={`${formatDateTime(startedAt)}. What else happened then`}
        >
          {formatDay(startedAt)}, {formatTime(startedAt)}
        </a>
        <span>{formatLength(updatedAt - startedAt)}</span>
        <span>{formatCount(prompts, 'prompt')}</span>
        <span>{formatCount(observations, 'memory')}</span>
        {spend.calls > 0 && (
          <span>
            {formatTokens(spend.tokens)} in {formatCount(spend.calls, 'model call')}
          </span>
        )}
        <span>{host}</span>
        <SessionStatus status={session.status} />
      </p>
      <p class="row">
        {RESUME[host] ? (
          <Copyable text={RESUME[host](id)} whole={session.cwd ? `cd ${quote(session.cwd)} && ${RESUME[host](id)}` : undefined} />
        ) : (
          <button type="button" class="quiet mono" onClick={() => copy(id)}>
            {id}
          </button>
        )}
      </p>
    </header>
  );
}

const quote = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
