// All that is known of a memory: what it says, its files and their state, the record of its turn, what it replaced, who was given it.
import type { ComponentChildren } from 'preact';
import type { Memory, MemoryRow } from '../../../src/core/shapes/memory.ts';
import type { WholeMemory } from '../../../src/core/shapes/pages.ts';
import { copy } from '../copy.ts';
import { formatAgo, formatCount, formatDateTime, formatId, formatTokens } from '../format.ts';
import { filePage, memoryPage, sessionPage, timelineOf } from '../links.ts';
import { saidIn, sameWords } from '../same-words.ts';
import { explainFreshness, nameOccasion } from '../words.ts';
import { Icon, TypeIcon } from './icon.tsx';
import { MemoryActions } from './memory-actions.tsx';
import { MemoryLine } from './memory-line.tsx';
import { explainReplaced, MemoryMarks } from './memory-marks.tsx';
import { RichLine, RichText } from './rich-text.tsx';
import { TurnSteps } from './turn-steps.tsx';

export type MemoryDetailProps = { whole: WholeMemory; memory: Memory; highlight?: readonly string[] | undefined };

export function MemoryDetail({ whole, memory, highlight }: MemoryDetailProps) {
  const { id, type, title, subtitle, kind, replacedBy } = memory;
  return (
    <article class="detail" data-opened={id} aria-labelledby={`detail-${id}`}>
      <p class="detail-kind">
        <TypeIcon type={type} />
        <span aria-hidden="true">{type}</span>
        <button type="button" class="quiet mono" title="Copy the id" aria-label={`Copy the id ${id}`} onClick={() => copy(id)}>
          {formatId(id)}
        </button>
        <time class="faint" dateTime={new Date(memory.at).toISOString()} title={formatDateTime(memory.at)}>
          {formatAgo(memory.at)}
        </time>
        <MemoryMarks row={memory} />
      </p>
      {kind === 'prompt' ? (
        <blockquote id={`detail-${id}`} class="detail-prompt" dir="auto">
          <RichText text={memory.text || title} words={highlight} />
        </blockquote>
      ) : (
        <h2 id={`detail-${id}`} dir="auto">
          <RichLine text={title || 'Untitled'} words={highlight} />
        </h2>
      )}
      {subtitle && (
        <p class="detail-subtitle" dir="auto">
          <RichLine text={subtitle} words={highlight} />
        </p>
      )}
      <MemoryActions memory={memory} />
      {replacedBy && <p class="note small">{explainReplaced(replacedBy)}</p>}
      <Says memory={memory} asked={whole.prompt ?? ''} highlight={highlight} />
      <Files memory={memory} state={whole.state} />
      <Outcome memory={memory} steps={whole.steps} />
      <Rows title="Replaced" rows={whole.replaced} />
      {whole.steps.length > 0 && (
        <Part title={kind === 'prompt' ? 'What was done' : 'From this turn'} isTurn>
          {kind !== 'prompt' && whole.prompt && (
            <blockquote class="detail-prompt clamp" dir="auto">
              {whole.prompt}
            </blockquote>
          )}
          <TurnSteps record={whole} highlight={highlight} />
        </Part>
      )}
      <Rows title={kind === 'prompt' ? 'What is remembered of it' : 'Also from this turn'} rows={whole.beside} />
      <Uses whole={whole} />
      <Place memory={memory} />
    </article>
  );
}

const Part = ({ title, isTurn = false, children }: { title: string; isTurn?: boolean; children: ComponentChildren }) => (
  <section class={isTurn ? 'detail-part detail-turn' : 'detail-part'}>
    <h3>{title}</h3>
    {children}
  </section>
);

const Rows = ({ title, rows }: { title: string; rows: readonly MemoryRow[] }) =>
  rows.length === 0 ? null : (
    <Part title={title}>
      <div class="lines">
        {rows.map((row) => (
          <MemoryLine key={row.id} row={row} />
        ))}
      </div>
    </Part>
  );

const REJECTED = /^Rejected: /;

const FIELDS = [
  ['request', 'Request'],
  ['investigated', 'Investigated'],
  ['learned', 'Learned'],
  ['completed', 'Completed'],
  ['nextSteps', 'Next steps'],
  ['notes', 'Notes'],
] as const;

/** What its title or the prompt says is not said again. */
function Says({ memory, asked, highlight }: Pick<MemoryDetailProps, 'memory' | 'highlight'> & { asked: string }) {
  const { narrative, facts, summary, title } = memory;
  const isNew = (text: string) => !sameWords(text, title) && !saidIn(text, asked);
  const shown = facts.filter((fact) => isNew(fact) && !REJECTED.test(fact));
  const rejected = facts.filter((fact) => REJECTED.test(fact)).map((fact) => fact.replace(REJECTED, ''));
  const list = (texts: readonly string[]) => (
    <ul class="detail-facts">
      {texts.map((text, at) => (
        <li key={at} dir="auto">
          <RichText text={text} words={highlight} />
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {narrative && isNew(narrative) && (
        <div class="detail-text" dir="auto">
          <RichText text={narrative} words={highlight} withLists />
        </div>
      )}
      {shown.length > 0 && <Part title="Facts">{list(shown)}</Part>}
      {rejected.length > 0 && <Part title="Rejected">{list(rejected)}</Part>}
      {FIELDS.map(([name, label]) => {
        const text = summary?.[name]?.trim() ?? '';
        if (text === '' || !isNew(text)) return null;
        return (
          <Part key={name} title={label}>
            <div class="detail-text" dir="auto">
              <RichText text={text} words={highlight} withLists />
            </div>
          </Part>
        );
      })}
    </>
  );
}

function Files({ memory, state }: { memory: Memory; state: WholeMemory['state'] }) {
  const changed = new Set(memory.filesModified);
  const all = [...changed, ...memory.filesRead.filter((file) => !changed.has(file))];
  if (all.length === 0) return null;
  return (
    <Part title="Files">
      <ul class="detail-files mono">
        {all.map((file) => (
          <li key={file}>
            <a href={filePage(file)}>{file}</a>
            {!changed.has(file) && <span class="faint"> read</span>}
          </li>
        ))}
      </ul>
      {state && <p class="faint small">{explainFreshness(state)}</p>}
    </Part>
  );
}

const OUTCOMES: Record<string, string> = {
  passed: 'A run passed after the last edit of this turn.',
  failed: 'The last run of this turn failed.',
  unverified: 'Nothing was run after the last edit.',
  'ruled-out': 'It was tried and did not work.',
};

/** How it came about: each run of the turn in its order. */
function Outcome({ memory: { outcome, outcomeBy, replacedBy }, steps }: { memory: Memory; steps: WholeMemory['steps'] }) {
  if (!outcome) return null;
  const runs = steps.filter(({ kind, isBad }) => kind === 'ran' && isBad !== null);
  return (
    <Part title="Outcome">
      <p>
        {outcome === 'ruled-out' ? 'ruled out' : outcome}
        <span class="faint">. {outcomeBy ? `Decided by a later turn, #${outcomeBy.turn}: ${outcomeBy.why}.` : OUTCOMES[outcome]}</span>
      </p>
      {runs.length > 0 && (
        <ol class="runs">
          {runs.map(({ text, isBad }, at) => (
            <li key={at} data-bad={isBad}>
              <Icon name={isBad ? 'close' : 'check'} />
              <span class="mono">{text.split('\n')[0]}</span>
              <span class="hidden-text">{isBad ? 'failed' : 'passed'}</span>
            </li>
          ))}
        </ol>
      )}
      {replacedBy?.why === 'failed again' && <p class="small">A later session saw the error again.</p>}
    </Part>
  );
}

function Uses({ whole: { uses, usesTotal, memory } }: { whole: WholeMemory }) {
  if (memory.kind === 'prompt' && uses.length === 0) return null;
  if (uses.length === 0)
    return (
      <Part title="Given to sessions">
        <p class="faint small">No session was given it yet.</p>
      </Part>
    );
  return (
    <Part title={`Given to ${formatCount(usesTotal, 'session')}`}>
      <ul class="uses">
        {uses.map(({ session, title, occasion, at }) => (
          <li key={session}>
            <a href={sessionPage(session)}>{title ?? session.slice(0, 8)}</a>
            <span class="faint small" title={formatDateTime(at)}>
              {nameOccasion(occasion)}, {formatAgo(at)}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Place({ memory: { id, project, branch, session, commit, tokens, concepts, turn } }: { memory: Memory }) {
  return (
    <footer class="detail-place">
      <span>{project}</span>
      {branch && <span class="mono">{branch}</span>}
      {commit && (
        <span class="mono" title={commit}>
          commit {commit.slice(0, 7)}
        </span>
      )}
      {session !== null && <a href={sessionPage(session)}>session</a>}
      {turn && turn !== id && <a href={memoryPage(turn)}>turn {formatId(turn)}</a>}
      <a href={timelineOf(id)}>timeline</a>
      <a href={memoryPage(id)}>permalink</a>
      <span class="number">{formatTokens(tokens)}</span>
      {concepts.length > 0 && <span>{concepts.join(', ')}</span>}
    </footer>
  );
}
