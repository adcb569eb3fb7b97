// What the agent did in a turn, in one column, and what came of each step.
import { useState } from 'preact/hooks';
import type { SessionTool, SessionTurn } from '../../../../src/core/session.ts';
import { formatCount, formatDateTime, formatTime } from '../../format.ts';

const MOST = 12;

export function Tools({ turn: { tools, moreTools, number } }: { turn: SessionTurn }) {
  const [isWhole, setWhole] = useState(false);
  if (tools.length === 0) return null;
  const isLong = tools.length > MOST + 2;
  const shown = isLong && !isWhole ? tools.slice(0, MOST) : tools;
  return (
    <div class="tools">
      <ol aria-label={`What the agent did in turn ${number}`}>
        {shown.map((tool) => (
          <Tool key={tool.id} tool={tool} />
        ))}
      </ol>
      {isLong && (
        <button type="button" class="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'fewer' : `${tools.length - MOST} more`}
        </button>
      )}
      {moreTools > 0 && (isWhole || !isLong) && (
        <p class="faint small">and {formatCount(moreTools, 'more step')} that are not listed</p>
      )}
    </div>
  );
}

function Tool({ tool: { tool, subject, at, status, isError, observations } }: { tool: SessionTool }) {
  return (
    <li>
      <time class="mono" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
        {formatTime(at)}
      </time>
      <span class={isError ? 'tool-name tool-failed' : 'tool-name'}>
        {tool ?? 'a step'}
        {isError && <span class="hidden-text"> failed</span>}
      </span>
      <span class="tool-subject mono" title={subject ?? undefined}>
        {subject ?? (tool === null ? 'its details are not kept any more' : '')}
      </span>
      <span class="tool-came">
        {isError && <span class="tool-failed">failed</span>}
        {observations.length > 0
          ? observations.map((id) => (
              <button key={id} type="button" class="more mono" title="Go to what came of it" onClick={() => show(id)}>
                #{id}
              </button>
            ))
          : !isError && <span class="faint">{STATUS[status]}</span>}
      </span>
    </li>
  );
}

const STATUS: Record<SessionTool['status'], string> = {
  pending: 'waits to be distilled',
  done: 'for the record',
  skipped: 'for the record',
  quarantined: 'set aside',
};

/** The card is further down on this page. */
function show(id: string): void {
  const card = document.querySelector<HTMLElement>(`[data-memory="${CSS.escape(id)}"]`);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'center' });
}
