// A turn: what was asked, then, opened, all that was said and done in it, and what is remembered of it.
import { useState } from 'preact/hooks';
import type { SessionTurn } from '../../../../src/core/shapes/memory.ts';
import type { WholeMemory } from '../../../../src/core/shapes/pages.ts';
import { formatCount, formatDateTime, formatTime } from '../../format.ts';
import { MemoryLine } from '../../parts/memory-line.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { TurnSteps } from '../../parts/turn-steps.tsx';
import { useAnswer } from '../../use-answer.ts';

export type TurnProps = { turn: SessionTurn; isOpenAtFirst: boolean };

export function Turn({ turn, isOpenAtFirst }: TurnProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { number, prompt, observations, moreObservations, summary, tools } = turn;
  const at = prompt?.at ?? tools[0]?.at ?? summary?.at ?? null;
  const isEmpty = tools.length + observations.length === 0 && !summary;
  return (
    <details class="turn" data-turn={number} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="turn-number number">{number > 0 ? number : ''}</span>
        <span class={isOpen ? 'turn-prompt' : 'turn-prompt clamp'} data-said={prompt !== null} dir="auto">
          {prompt && isOpen ? <RichText text={prompt.text.trim()} /> : sayPrompt(turn)}
        </span>
        <span class="turn-meta">
          {at !== null && (
            <time class="number" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
              {formatTime(at)}
            </time>
          )}
          <span class="number">{sayCounts(turn)}</span>
        </span>
      </summary>
      {isOpen && (
        <div class="turn-body">
          {prompt ? <Replay turn={turn} id={prompt.id} /> : <Tools turn={turn} />}
          {observations.length > 0 && (
            <div class="lines">
              {observations.map((memory) => (
                <MemoryLine key={memory.id} row={memory} />
              ))}
            </div>
          )}
          {moreObservations > 0 && <p class="faint small">and {formatCount(moreObservations, 'more observation')}, which search finds</p>}
          {isEmpty && <p class="faint small">Nothing of it is kept.</p>}
        </div>
      )}
    </details>
  );
}

/** The record is made when the turn ends: until then only the steps are known. */
function Replay({ turn, id }: { turn: SessionTurn; id: string }) {
  const isOver = turn.summary !== null || turn.observations.length > 0;
  const { data, error, again } = useAnswer<WholeMemory>(`/api/memories/${id}`);
  if (error && error.status !== 404) return <Problem error={error} onRetry={again} />;
  if (data && data.steps.length > 0) return <TurnSteps record={data} />;
  return data || isOver || error ? <Tools turn={turn} /> : null;
}

function Tools({ turn: { tools, moreTools, number } }: { turn: SessionTurn }) {
  if (tools.length === 0) return null;
  return (
    <>
      <ol class="steps-list" aria-label={`What the agent did in turn ${number}`}>
        {tools.map(({ id, tool, subject, isError }) => (
          <li key={id} class="step" data-bad={isError || undefined}>
            <span class="step-kind">{tool ?? 'a step'}</span>
            <p class="mono step-code">
              {subject ?? (tool === null ? 'its details have expired' : '')}
              {isError && <span class="tag bad">failed</span>}
            </p>
          </li>
        ))}
      </ol>
      {moreTools > 0 && <p class="faint small">and {formatCount(moreTools, 'more step')}</p>}
    </>
  );
}

function sayPrompt({ number, prompt, isPrivate }: SessionTurn): string {
  if (prompt) return prompt.text.trim();
  if (isPrivate) return 'A private prompt. Nothing of this turn is kept.';
  return number === 0 ? 'Before the first prompt' : 'The prompt is deleted or hidden.';
}

function sayCounts({ tools, moreTools, observations, moreObservations }: SessionTurn): string {
  const steps = tools.length + moreTools;
  const kept = observations.length + moreObservations;
  return [...(steps > 0 ? [formatCount(steps, 'step')] : []), ...(kept > 0 ? [formatCount(kept, 'memory')] : [])].join(', ');
}
