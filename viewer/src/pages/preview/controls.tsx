// What to look at, and settings to try: each change shows at once, and nothing is kept until it is saved.
import type { PreviewAnswer, ToldSettings } from '../../../../src/core/shapes/context.ts';
import { place } from '../../router.ts';
import { isTrying, readTried, tryNothing, tryOut } from './asked.ts';
import { useDraft } from './use-draft.ts';
import { SECTIONS, TYPES } from './words.ts';

const LEAST_TOKENS = 200;
const MOST_TOKENS = 10_000;
/** More characters than these no host takes; a budget above them changes nothing. */
const MOST_CHARACTERS = 10_000;

const AMOUNTS = [
  { name: 'full', words: 'In full', most: 30 },
  { name: 'index', words: 'Lines by date', most: 200 },
  { name: 'sessions', words: 'Recent sessions', most: 50 },
] as const;

export type ControlsProps = { answer: PreviewAnswer; onSave: () => void };

export function Controls({ answer, onSave }: ControlsProps) {
  const { settings: set } = answer;
  const { query } = place.value;
  const tried = readTried(query, set);
  const change = (changes: Partial<ToldSettings>) => tryOut(changes, set);
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <Budget tokens={tried.tokens} onChange={(tokens) => change({ tokens })} />
      {answer.characters > MOST_CHARACTERS * 0.95 && (
        <p class="tiny faint">A host takes at most 10,000 characters: a larger budget changes nothing here.</p>
      )}
      <Choices
        title="Sections"
        names={SECTIONS}
        chosen={tried.sections}
        onChange={(sections) => change({ sections: sections as ToldSettings['sections'] })}
      />
      <Choices title="Types" names={TYPES} chosen={tried.types} onChange={(types) => change({ types: types as ToldSettings['types'] })} />
      <fieldset>
        <legend>At most</legend>
        {AMOUNTS.map(({ name, words, most }) => (
          <div key={name} class="amount">
            <label for={`most-${name}`}>{words}</label>
            <NumberField id={`most-${name}`} value={tried[name]} least={0} most={most} onChange={(value) => change({ [name]: value })} />
          </div>
        ))}
      </fieldset>
      {isTrying(query) && (
        <div class="row">
          <button type="button" class="primary" onClick={onSave}>
            Save for all projects
          </button>
          <button type="button" class="quiet" onClick={tryNothing}>
            Reset
          </button>
        </div>
      )}
    </form>
  );
}

function Budget({ tokens, onChange }: { tokens: number; onChange: (tokens: number) => void }) {
  const [draft, setDraft] = useDraft(tokens, onChange);
  return (
    <fieldset>
      <legend>Budget, in tokens</legend>
      <div class="budget-choice">
        <input
          type="range"
          aria-label="Budget"
          min={LEAST_TOKENS}
          max={MOST_TOKENS}
          step={100}
          value={draft}
          onInput={(event) => setDraft(Number(event.currentTarget.value))}
        />
        <NumberField label="Budget in tokens" value={draft} least={LEAST_TOKENS} most={MOST_TOKENS} onChange={setDraft} />
      </div>
    </fieldset>
  );
}

type NumberFieldProps = {
  id?: string;
  label?: string;
  value: number;
  least: number;
  most: number;
  onChange: (value: number) => void;
};

/** What is out of bounds while somebody is still typing is not asked for. */
function NumberField({ id, label, value, least, most, onChange }: NumberFieldProps) {
  const [draft, setDraft] = useDraft(String(value), (text) => onChange(Number(text)));
  return (
    <input
      type="number"
      class="number"
      id={id}
      aria-label={label}
      min={least}
      max={most}
      value={draft}
      onInput={(event) => {
        const { value: text, validity } = event.currentTarget;
        if (text !== '' && validity.valid) setDraft(text);
      }}
    />
  );
}

type ChoicesProps = {
  title: string;
  names: [string, string][];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
};

function Choices({ title, names, chosen, onChange }: ChoicesProps) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="choices">
        {names.map(([id, name]) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) =>
                onChange(names.flatMap(([one]) => ((one === id ? currentTarget.checked : chosen.includes(one)) ? one : [])))
              }
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
