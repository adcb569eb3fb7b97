// What a session was about, and where, when and how long it went.
import type { ComponentChildren } from 'preact';
import type { WholeSession } from '../../../../src/core/shapes/session.ts';
import { formatCount, formatDateTime, formatDay, formatTime, formatTokens } from '../../format.ts';
import { useTitle } from '../../page-title.ts';
import { nameSession } from '../sessions/name-session.ts';
import { SessionStatus } from '../sessions/session-status.tsx';

export function SessionHead({ session }: { session: WholeSession }) {
  const { title, subtitle, project, branch, host, startedAt, updatedAt, prompts, observations, spend } = session;
  useTitle(nameSession(session));
  return (
    <header class="session-head">
      <h1>{nameSession(session)}</h1>
      {subtitle && subtitle !== title && <p class="lead">{subtitle}</p>}
      <dl class="session-facts">
        <Fact name="Project">{branch ? `${project} (${branch})` : project}</Fact>
        <Fact name="When">
          <a
            href={`/view/timeline?at=${encodeURIComponent(new Date(startedAt).toISOString())}`}
            title={`${formatDateTime(startedAt)}. What else happened then`}
          >
            {formatDay(startedAt)}, {formatTime(startedAt)}
          </a>
        </Fact>
        <Fact name="How long">{sayLength(updatedAt - startedAt)}</Fact>
        <Fact name="Contents">
          {formatCount(prompts, 'prompt')}, {formatCount(observations, 'observation')}
        </Fact>
        {spend.calls > 0 && (
          <Fact name="Spent">
            {formatTokens(spend.tokens)} in {formatCount(spend.calls, 'call')}
          </Fact>
        )}
        <Fact name="Host">{host}</Fact>
        {session.status !== 'completed' && (
          <Fact name="Status">
            <SessionStatus status={session.status} />
          </Fact>
        )}
        <Fact name="Id">
          <span class="mono">{session.session}</span>
        </Fact>
      </dl>
    </header>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const MINUTE_MS = 60_000;

/** `under a minute`, `12 min`, `3 h 5 min`, `2 days`. */
function sayLength(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return formatCount(Math.round(hours / 24), 'day');
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
