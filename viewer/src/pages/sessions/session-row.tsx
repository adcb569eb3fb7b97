// A session in the list: what it was about, where, how long, and what came of it; one row.
import type { ListedSession } from '../../../../src/core/shapes/project.ts';
import { formatAge, formatCount, formatDateTime, formatLength, formatTokens } from '../../format.ts';
import { sessionPage } from '../../links.ts';
import { nameProject } from '../../projects.ts';
import { nameSession } from './name-session.ts';
import { SessionStatus } from './session-status.tsx';

export function SessionRow({ session }: { session: ListedSession }) {
  const { updatedAt, startedAt, project, key, branch, prompts, observations, status, host, spend } = session;
  return (
    <li class="session-row">
      <h3>
        <a href={sessionPage(session.session)} title={nameSession(session)} dir="auto">
          {nameSession(session)}
        </a>
      </h3>
      <SessionStatus status={status} />
      <span class="session-project">{nameProject(project, key)}</span>
      <span class="session-branch mono">{branch}</span>
      <span class="session-host">{host}</span>
      <span class="number">{formatLength(updatedAt - startedAt)}</span>
      <span class="number">{formatCount(prompts, 'prompt')}</span>
      <span class="number">{observations === 0 ? '' : formatCount(observations, 'memory')}</span>
      <span class="session-cost number">{spend.tokens === 0 ? '' : formatTokens(spend.tokens)}</span>
      <time
        class="number"
        dateTime={new Date(updatedAt).toISOString()}
        title={`${formatDateTime(startedAt)} – ${formatDateTime(updatedAt)}`}
      >
        {formatAge(updatedAt)}
      </time>
    </li>
  );
}
