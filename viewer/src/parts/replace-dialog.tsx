// A person says which memory applies instead of another, or makes one of two that say the same.
import { useState } from 'preact/hooks';
import type { BatchAnswer, MemoryRow } from '../../../src/core/shapes/memory.ts';
import type { SearchAnswer } from '../../../src/core/shapes/search.ts';
import { ask } from '../api.ts';
import { correct, replaceBy } from '../correct.ts';
import { formatAge, formatId } from '../format.ts';
import { useAnswer } from '../use-answer.ts';
import { Dialog } from './dialog.tsx';
import { TypeIcon } from './icon.tsx';

export type ReplaceDialogProps = { row: MemoryRow; isMerge: boolean; onClose: () => void };

const SHOWN = 8;

export function ReplaceDialog({ row, isMerge, onClose }: ReplaceDialogProps) {
  const [words, setWords] = useState(row.title);
  const [chosen, setChosen] = useState<MemoryRow | null>(null);
  const [text, setText] = useState(row.title);
  const types = row.type === 'decision' ? 'decision' : 'observation';
  const { data } = useAnswer<SearchAnswer>('/api/search', { query: words, project: row.project, type: types, limit: SHOWN + 1 });
  const others = (data?.results ?? []).filter(({ id }) => id !== row.id).slice(0, SHOWN);
  const save = async (event: Event) => {
    event.preventDefault();
    if (!chosen) return;
    onClose();
    // Of two that say the same the newer stays, in the words that were chosen.
    const [older, newer] = isMerge && chosen.at < row.at ? [chosen, row] : [row, chosen];
    await replaceBy(older, newer, isMerge && text.trim() !== newer.title ? await reword(newer, text.trim()) : undefined);
  };
  return (
    <Dialog title={isMerge ? `Merge ${formatId(row.id)} with another` : `Replace ${formatId(row.id)}`} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <p class="clamp" dir="auto">
          {row.title}
        </p>
        <label class="field">
          <span>{isMerge ? 'The one that says the same' : 'What applies instead'}</span>
          <input type="search" data-first value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
        <div class="choices" role="radiogroup" aria-label="Memories of the same project">
          {others.map((one) => (
            <label key={one.id} class="choice">
              <input type="radio" name="other" checked={chosen?.id === one.id} onChange={() => setChosen(one)} />
              <TypeIcon type={one.type} />
              <span dir="auto">{one.title}</span>
              <span class="faint mono tiny">
                {formatId(one.id)} {formatAge(one.at)}
              </span>
            </label>
          ))}
          {data && others.length === 0 && <p class="faint small">No other memory of {row.project} has these words.</p>}
        </div>
        {isMerge && chosen && (
          <label class="field">
            <span>The words that stay</span>
            <textarea
              required
              rows={2}
              dir="auto"
              maxLength={160}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        )}
        <p class="row dialog-foot">
          <button type="submit" class="primary" disabled={!chosen}>
            {isMerge ? 'Merge' : 'Replace'}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** Returns how to take it back. */
async function reword({ id }: MemoryRow, title: string): Promise<(() => void) | undefined> {
  const { memories } = await ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids: [id] } });
  const [memory] = memories;
  if (!memory || !(await correct(memory, { title, subtitle: memory.subtitle }, null))) return undefined;
  return () => void correct({ ...memory, title }, { title: memory.title, subtitle: memory.subtitle }, null);
}
