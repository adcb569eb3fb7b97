// A session in the list: what it was about, where, when, and what came of it.
import { formatCount, formatDateTime, formatTime } from '../../format.ts';
import { sessionPage } from '../../links.ts';
import { SessionStatus } from './session-status.tsx';

/** As `GET /api/sessions` lists it. */
export type ListedSession = {
  session: string;
  host: string;
  project: string;
  branch: string | null;
  title: string | null;
  subtitle: string | null;
  status: string;
  prompts: number;
  observations: number;
  startedAt: number;
  updatedAt: number;
};

export function SessionRow({ session }: { session: ListedSession }) {
  const { updatedAt, startedAt, title, subtitle, project, branch, prompts, observations, status } = session;
  return (
    <li class="session-row">
      <time
        class="mono"
        dateTime={new Date(updatedAt).toISOString()}
        title={`${formatDateTime(startedAt)} – ${formatDateTime(updatedAt)}`}
      >
        {formatTime(updatedAt)}
      </time>
      <div>
        <h3>
          <a href={sessionPage(session.session)}>{title || 'No title yet'}</a>
        </h3>
        {subtitle && <p class="session-subtitle">{subtitle}</p>}
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
