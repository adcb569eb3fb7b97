// A person gives an observation other words.
import { useEffect, useState } from 'preact/hooks';
import type { ObservationType } from '../../../src/core/observation.ts';
import type { Memory, MemoryRow } from '../../../src/core/shapes/memory.ts';
import type { WholeMemory } from '../../../src/core/shapes/pages.ts';
import { ask } from '../api.ts';
import { type Correction, correct, sayProblem } from '../correct.ts';
import { formatId } from '../format.ts';
import { TYPES } from '../types.ts';
import { Dialog } from './dialog.tsx';

export type EditDialogProps = { row: MemoryRow; onClose: () => void };

type Words = { type: ObservationType; title: string; subtitle: string; narrative: string; facts: string };

/** A row has its title alone: the rest is read first. */
export function EditDialog({ row, onClose }: EditDialogProps) {
  const [whole, setWhole] = useState<WholeMemory | null>(null);
  useEffect(() => {
    ask<WholeMemory>(`/api/memories/${row.id}`).then(setWhole, (error) => {
      onClose();
      sayProblem(error);
    });
  }, [row.id]);
  return whole && <EditForm whole={whole} onClose={onClose} />;
}

function EditForm({ whole: { memory, replaced }, onClose }: { whole: WholeMemory; onClose: () => void }) {
  const before = wordsOf(memory);
  const files = [...new Set([...memory.filesModified, ...memory.filesRead])];
  const [words, setWords] = useState(before);
  const set = (change: Partial<Words>) => setWords({ ...words, ...change });
  const change = changes(before, words);
  const save = (event: Event) => {
    event.preventDefault();
    onClose();
    if (Object.keys(change).length > 0) void correct(memory, change, `Changed #${memory.id}.`);
  };
  return (
    <Dialog title={`Edit #${memory.id}`} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <label class="field">
          <span>Type</span>
          <select value={words.type} onChange={({ currentTarget }) => set({ type: currentTarget.value as ObservationType })}>
            {TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Title</span>
          <textarea
            required
            data-first
            rows={2}
            dir="auto"
            maxLength={160}
            value={words.title}
            onInput={({ currentTarget }) => set({ title: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Subtitle</span>
          <input
            dir="auto"
            maxLength={4000}
            value={words.subtitle}
            onInput={({ currentTarget }) => set({ subtitle: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Details</span>
          <textarea rows={6} dir="auto" value={words.narrative} onInput={({ currentTarget }) => set({ narrative: currentTarget.value })} />
        </label>
        <label class="field">
          <span>Facts, one per line</span>
          <textarea rows={5} dir="auto" value={words.facts} onInput={({ currentTarget }) => set({ facts: currentTarget.value })} />
        </label>
        {files.length > 0 && (
          <p class="small faint">
            Files: <span class="mono">{files.join(', ')}</span>
          </p>
        )}
        {replaced.length > 0 && (
          <p class="small faint" dir="auto">
            Replaces {replaced.map(({ id, title }) => `${formatId(id)} ${title}`).join('; ')}
          </p>
        )}
        <p class="row dialog-foot">
          <button type="submit" class="primary">
            Save
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

const wordsOf = ({ type, title, subtitle, narrative, facts }: Memory): Words => ({
  // Only observations are edited, and their types are these.
  type: type as ObservationType,
  title,
  subtitle: subtitle ?? '',
  narrative: narrative ?? '',
  facts: facts.join('\n'),
});

/** Only what is other than before: the rest stays as it is, with its sources. */
function changes(before: Words, { type, title, subtitle, narrative, facts }: Words): Correction {
  const words = {
    ...(title.trim() !== before.title.trim() ? { title: title.trim() } : {}),
    ...(narrative.trim() !== before.narrative.trim() ? { narrative: narrative.trim() || null } : {}),
  };
  // With new words beside it, a subtitle stays only when it is given.
  const isSubtitleGiven = subtitle.trim() !== before.subtitle.trim() || (Object.keys(words).length > 0 && subtitle.trim());
  return {
    ...words,
    ...(isSubtitleGiven ? { subtitle: subtitle.trim() || null } : {}),
    ...(type !== before.type ? { type } : {}),
    ...(facts !== before.facts ? { facts: facts.split('\n').filter((line) => line.trim() !== '') } : {}),
  };
}
