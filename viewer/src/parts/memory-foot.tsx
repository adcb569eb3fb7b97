// Where a memory belongs: its files and concepts, its session, what it costs to read, its id.
import type { Memory } from '../../../src/core/shapes/memory.ts';
import { formatId, formatTokens } from '../format.ts';
import { filePage, sessionPage, timelineOf } from '../links.ts';
import { isOfAgent } from '../of-agent.ts';
import { say } from './toasts.tsx';

export type MemoryFootProps = { memory: Memory; isOpen: boolean; withoutSession?: boolean | undefined };

const MOST_FOLDED = 3;

export function MemoryFoot({ memory, isOpen, withoutSession }: MemoryFootProps) {
  const { id, session, branch, tokens, concepts, commit, turn } = memory;
  return (
    <footer class="card-foot">
      {isOpen && concepts.length > 0 && (
        <ul class="card-concepts" aria-label="Concepts">
          {concepts.map((concept) => (
            <li key={concept} class="chip">
              {concept}
            </li>
          ))}
        </ul>
      )}
      <Files memory={memory} isOpen={isOpen} />
      <p class="card-place">
        {isOpen && branch && <span class="mono">{branch}</span>}
        {commit && (
          <span class="mono" title={commit}>
            commit {commit.slice(0, 7)}
          </span>
        )}
        {turn && turn !== id && (
          <a href={timelineOf(turn)} title="What was said and done in its turn">
            turn {turn}
          </a>
        )}
        {!withoutSession && isOfAgent(session) && <a href={sessionPage(session)}>session</a>}
        <span class="number">{formatTokens(tokens)}</span>
        <button type="button" class="id" title="Copy the id" aria-label={`Copy the id ${id}`} onClick={() => copy(id)}>
          {formatId(id)}
        </button>
      </p>
    </footer>
  );
}

function Files({ memory, isOpen }: { memory: Memory; isOpen: boolean }) {
  const all = [...new Set([...memory.filesModified, ...memory.filesRead])];
  const changed = new Set(memory.filesModified);
  const shown = isOpen ? all : [...(changed.size > 0 ? changed : all)].slice(0, MOST_FOLDED);
  if (shown.length === 0) return null;
  const rest = all.length - shown.length;
  return (
    <ul class="card-files mono" aria-label="Files">
      {shown.map((file) => (
        <li key={file}>
          <a href={filePage(file)} title={file}>
            {isOpen ? file : lastParts(file)}
          </a>
          {isOpen && !changed.has(file) && <span class="faint"> read</span>}
        </li>
      ))}
      {rest > 0 && <li class="card-rest">and {rest} more</li>}
    </ul>
  );
}

const MOST_PARTS = 3;

/** Enough of a path to know the file by; the whole is in the title. */
function lastParts(path: string): string {
  const parts = path.split('/');
  return parts.length <= MOST_PARTS ? path : `…/${parts.slice(-MOST_PARTS).join('/')}`;
}

async function copy(id: string): Promise<void> {
  await navigator.clipboard.writeText(id);
  say(`Copied ${id}.`);
}
