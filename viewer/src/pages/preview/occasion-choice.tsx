// Which moment is looked at: the start of a session, its first prompt, or the moment before a file is edited.
import { place, setQuery } from '../../router.ts';
import { type AskedFor, readAskedFor } from './asked.ts';

const OCCASIONS: [AskedFor, string][] = [
  ['start', 'At its start'],
  ['prompt', 'On its first prompt'],
  ['file', 'Before it edits a file'],
];

export function OccasionChoice() {
  const { query } = place.value;
  const asked = readAskedFor(query);
  return (
    <div class="stack occasion">
      <fieldset class="segments" aria-label="When">
        {OCCASIONS.map(([id, name]) => (
          <button
            key={id}
            type="button"
            class="quiet"
            aria-pressed={asked === id}
            onClick={() => setQuery({ for: id === 'start' ? null : id })}
          >
            {name}
          </button>
        ))}
      </fieldset>
      {asked === 'prompt' && (
        <textarea
          aria-label="As if the first prompt were"
          placeholder="As if the first prompt were …"
          rows={3}
          value={query.get('prompt') ?? ''}
          onInput={({ currentTarget }) => setQuery({ prompt: currentTarget.value })}
        />
      )}
      {asked === 'file' && (
        <input
          class="mono"
          aria-label="As if this file were about to be edited"
          placeholder="As if this file were about to be edited: src/…"
          value={query.get('file') ?? ''}
          onInput={({ currentTarget }) => setQuery({ file: currentTarget.value })}
        />
      )}
    </div>
  );
}
