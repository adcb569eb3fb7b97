// A person gives an observation other words.
import { useState } from 'preact/hooks';
import type { Memory } from '../../../src/core/memory.ts';
import type { ObservationType } from '../../../src/core/observation.ts';
import { type Correction, correct } from '../correct.ts';
import { TYPES } from '../types.ts';
import { Dialog } from './dialog.tsx';

export type EditDialogProps = { memory: Memory; onClose: () => void };

type Words = { type: ObservationType; title: string; narrative: string; facts: string };

export function EditDialog({ memory, onClose }: EditDialogProps) {
  const before = wordsOf(memory);
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
          <select
            value={words.type}
            onChange={({ currentTarget }) => set({ type: currentTarget.value as ObservationType })}
          >
            {TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Title</span>
          <input
            required
            data-first
            maxLength={160}
            value={words.title}
            onInput={({ currentTarget }) => set({ title: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Story</span>
          <textarea
            rows={6}
            value={words.narrative}
            onInput={({ currentTarget }) => set({ narrative: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Facts, one in a line</span>
          <textarea rows={5} value={words.facts} onInput={({ currentTarget }) => set({ facts: currentTarget.value })} />
        </label>
        <p class="row">
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

const wordsOf = ({ type, title, narrative, facts }: Memory): Words => ({
  // Only observations are edited, and their types are these.
  type: type as ObservationType,
  title,
  narrative: narrative ?? '',
  facts: facts.join('\n'),
});

/** Only what is other than before: the rest stays as it is, with its sources. */
function changes(before: Words, { type, title, narrative, facts }: Words): Correction {
  return {
    ...(type !== before.type ? { type } : {}),
    ...(title.trim() !== before.title.trim() ? { title: title.trim() } : {}),
    ...(narrative.trim() !== before.narrative.trim() ? { narrative: narrative.trim() || null } : {}),
    ...(facts !== before.facts ? { facts: facts.split('\n').filter((line) => line.trim() !== '') } : {}),
  };
}
