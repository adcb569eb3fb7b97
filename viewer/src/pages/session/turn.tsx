// A turn: what was asked, what the agent did, what is remembered of it.
import { useState } from 'preact/hooks';
import type { SessionTurn } from '../../../../src/core/shapes/session.ts';
import { formatCount, formatDateTime, formatTime } from '../../format.ts';
import { MemoryCard } from '../../parts/memory-card.tsx';
import { Tools } from './tools.tsx';

export type TurnProps = { turn: SessionTurn; isOpenAtFirst: boolean };

export function Turn({ turn, isOpenAtFirst }: TurnProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { number, prompt, observations, moreObservations, summary, tools } = turn;
  const at = prompt?.at ?? tools[0]?.at ?? summary?.at ?? null;
  return (
    <details class="turn" data-turn={number} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="turn-number number">{number > 0 ? number : ''}</span>
        <span class="turn-prompt" data-said={prompt !== null}>
          {sayPrompt(turn)}
        </span>
        <span class="turn-meta">
          {at !== null && (
            <time class="mono" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
              {formatTime(at)}
            </time>
          )}
          {!isOpen && <span class="number">{sayCounts(turn)}</span>}
        </span>
      </summary>
      {isOpen && (
        <div class="turn-body">
          <Tools turn={turn} />
          {observations.map((memory) => (
            <MemoryCard key={memory.id} memory={memory} withoutSession />
          ))}
          {moreObservations > 0 && <p class="faint small">and {formatCount(moreObservations, 'more observation')}, which search finds</p>}
          {summary && <MemoryCard memory={summary} withoutSession />}
          {tools.length + observations.length === 0 && !summary && <p class="faint small">Nothing came of it that is kept.</p>}
        </div>
      )}
    </details>
  );
}

function sayPrompt({ number, prompt, isPrivate }: SessionTurn): string {
  if (prompt) return prompt.text.trim();
  if (isPrivate) return 'A private prompt. Nothing of this turn is kept.';
  return number === 0 ? 'Before the first prompt' : 'The prompt is not there any more.';
}

function sayCounts({ tools, moreTools, observations, moreObservations }: SessionTurn): string {
  const steps = tools.length + moreTools;
  const kept = observations.length + moreObservations;
  return [...(steps > 0 ? [formatCount(steps, 'step')] : []), ...(kept > 0 ? [formatCount(kept, 'observation')] : [])].join(', ');
}
