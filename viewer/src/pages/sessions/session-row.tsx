// A session in the list: what it was about, where, when, and what came of it.
import type { ListedSession } from '../../../../src/core/shapes/project.ts';
import { formatCount, formatDateTime, formatTime } from '../../format.ts';
import { sessionPage } from '../../links.ts';
import { nameSession } from './name-session.ts';
import { SessionStatus } from './session-status.tsx';

export function SessionRow({ session }: { session: ListedSession }) {
  const { updatedAt, startedAt, title, subtitle, project, branch, prompts, observations, status } = session;
  return (
    <li class="session-row">
      <time class="mono" dateTime={new Date(updatedAt).toISOString()} title={`${formatDateTime(startedAt)} – ${formatDateTime(updatedAt)}`}>
        {formatTime(updatedAt)}
      </time>
      <div>
        <h3>
          <a href={sessionPage(session.session)}>{nameSession(session)}</a>
        </h3>
        {subtitle && subtitle !== title && <p class="session-subtitle">{subtitle}</p>}
        <p class="session-meta">
          <span>{branch ? `${project} (${branch})` : project}</span>
          <span class="number">{formatCount(prompts, 'prompt')}</span>
          <span class="number">{formatCount(observations, 'observation')}</span>
          <SessionStatus status={status} />
        </p>
      </div>
    </li>
  );
}
