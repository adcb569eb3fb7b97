// What the agent did in a turn, in one column, and what came of each step.
import { useState } from 'preact/hooks';
import type { SessionTool, SessionTurn } from '../../../../src/core/shapes/session.ts';
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
      {moreTools > 0 && (isWhole || !isLong) && <p class="faint small">and {formatCount(moreTools, 'more step')} that are not listed</p>}
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
        {observations.length > 0 ? <Came ids={observations} /> : !isError && <span class="faint">{STATUS[status]}</span>}
      </span>
    </li>
  );
}

const MOST_IDS = 3;

/** A run of tests may be what twenty observations rest on. */
function Came({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, MOST_IDS).map((id) => (
        <button key={id} type="button" class="more mono" title="Go to what came of it" onClick={() => show(id)}>
          #{id}
        </button>
      ))}
      {ids.length > MOST_IDS && (
        <span
          class="faint number"
          title={ids
            .slice(MOST_IDS)
            .map((id) => `#${id}`)
            .join(', ')}
        >
          +{ids.length - MOST_IDS}
          <span class="hidden-text"> more</span>
        </span>
      )}
    </>
  );
}

const STATUS: Record<SessionTool['status'], string> = {
  pending: 'waits to be distilled',
  done: 'no memory made',
  skipped: 'no memory made',
  quarantined: 'set aside',
};

/** The card is further down on this page. */
function show(id: string): void {
  const card = document.querySelector<HTMLElement>(`[data-memory="${CSS.escape(id)}"]`);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'center' });
}
