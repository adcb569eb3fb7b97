// What a memory says: of an observation its story and facts, of a summary its fields, of a prompt its words and what came of them.
import type { Memory } from '../../../src/core/shapes/memory.ts';
import { RichText } from './rich-text.tsx';
import { TurnRecord } from './turn-record.tsx';

export type MemoryBodyProps = { memory: Memory; isOpen: boolean; highlight?: readonly string[] | undefined };

export function MemoryBody({ memory, isOpen, highlight }: MemoryBodyProps) {
  const fold = isOpen ? '' : 'fold';
  if (memory.kind === 'prompt') {
    return (
      <>
        <blockquote class={`card-prompt ${fold}`} dir="auto">
          <RichText text={memory.text || memory.title} words={highlight} />
        </blockquote>
        {isOpen && memory.turn && <TurnRecord id={memory.id} highlight={highlight} />}
      </>
    );
  }
  if (memory.summary) return <SummaryFields memory={memory} isOpen={isOpen} highlight={highlight} />;
  return (
    <>
      {memory.narrative && (
        <div class={`card-text ${fold}`} dir="auto">
          <RichText text={memory.narrative} words={highlight} withLists />
        </div>
      )}
      {(isOpen || !memory.narrative) && memory.facts.length > 0 && (
        <ul class={`card-facts ${fold}`}>
          {memory.facts.map((fact, at) => (
            <li key={at} dir="auto">
              <RichText text={fact} words={highlight} />
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

function SummaryFields({ memory: { summary, title }, isOpen, highlight }: MemoryBodyProps) {
  const shown = FIELDS.flatMap(([name, label, isAlways]) => {
    const text = summary?.[name]?.trim() ?? '';
    return text !== '' && !isSame(text, title) && (isOpen || isAlways) ? [{ label, text }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <dl class="card-fields">
      {shown.map(({ label, text }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd class={isOpen ? '' : 'fold'} dir="auto">
            <RichText text={text} words={highlight} withLists />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The title is made of the request, or of what was completed: said once, it is enough. */
const isSame = (text: string, title: string) => plain(text) === plain(title);

const plain = (text: string) => text.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
