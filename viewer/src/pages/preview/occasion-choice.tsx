// Which moment is looked at: the start of a session, its first prompt, or the moment before a file is edited.
import { place, setQuery } from '../../router.ts';
import { type AskedFor, readAskedFor } from './asked.ts';
import { useDraft } from './use-draft.ts';

const OCCASIONS: [AskedFor, string][] = [
  ['start', 'At its start'],
  ['prompt', 'On its first prompt'],
  ['file', 'Before it edits a file'],
];

/** It stands in the address. */
const LONGEST_PROMPT = 2000;

export function OccasionChoice() {
  const { query } = place.value;
  const [prompt, setPrompt] = useDraft(query.get('prompt') ?? '', (text) => setQuery({ prompt: text }));
  const [file, setFile] = useDraft(query.get('file') ?? '', (text) => setQuery({ file: text }));
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
          maxLength={LONGEST_PROMPT}
          value={prompt}
          onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
      )}
      {asked === 'file' && (
        <input
          class="mono"
          aria-label="As if this file were about to be edited"
          placeholder="As if this file were about to be edited: src/…"
          spellcheck={false}
          value={file}
          onInput={({ currentTarget }) => setFile(currentTarget.value)}
        />
      )}
    </div>
  );
}
