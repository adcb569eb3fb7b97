// What a memory says: of an observation its story and facts, of a summary its fields, of a prompt its words.
import type { Memory } from '../../../src/core/memory.ts';
import { Highlight } from './highlight.tsx';

export type MemoryBodyProps = { memory: Memory; isOpen: boolean; highlight?: readonly string[] | undefined };

export function MemoryBody({ memory, isOpen, highlight }: MemoryBodyProps) {
  const fold = isOpen ? '' : 'fold';
  if (memory.kind === 'prompt') {
    return (
      <blockquote class={`card-prompt ${fold}`}>
        <Highlight text={memory.text || memory.title} words={highlight} />
      </blockquote>
    );
  }
  if (memory.summary) return <SummaryFields summary={memory.summary} isOpen={isOpen} highlight={highlight} />;
  return (
    <>
      {memory.narrative && (
        <p class={`card-text ${fold}`}>
          <Highlight text={memory.narrative} words={highlight} />
        </p>
      )}
      {(isOpen || !memory.narrative) && memory.facts.length > 0 && (
        <ul class={`card-facts ${fold}`}>
          {memory.facts.map((fact, at) => (
            <li key={at}>
              <Highlight text={fact} words={highlight} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const FIELDS = [
  ['request', 'Request', true],
  ['investigated', 'Investigated', false],
  ['learned', 'Learned', true],
  ['completed', 'Completed', true],
  ['nextSteps', 'Next steps', true],
  ['notes', 'Notes', false],
] as const;

type SummaryProps = Pick<MemoryBodyProps, 'isOpen' | 'highlight'> & { summary: NonNullable<Memory['summary']> };

function SummaryFields({ summary, isOpen, highlight }: SummaryProps) {
  const shown = FIELDS.filter(([name, , isAlways]) => summary[name]?.trim() && (isOpen || isAlways));
  return (
    <dl class="card-fields">
      {shown.map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd class={isOpen ? '' : 'fold'}>
            <Highlight text={summary[name] ?? ''} words={highlight} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
