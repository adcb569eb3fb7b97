// What changes a setting: a switch, a number, a choice, a list or a text, as its type asks for.
import { useEffect, useState } from 'preact/hooks';
import { isNumber, type Setting } from './answer.ts';

export type ControlProps = {
  setting: Setting;
  /** What it is called on the page. */
  label: string;
  /** The ids of the texts that belong to it. */
  describedBy: string;
  isBad: boolean;
  onChange: (value: unknown) => void;
};

export function Control(props: ControlProps) {
  const { type, values } = props.setting.allowed;
  if (type === 'boolean') return <Switch {...props} />;
  if (isNumber(props.setting)) return <NumberField {...props} />;
  if (type === 'array') return values ? <Toggles {...props} values={values} /> : <ListField {...props} />;
  return values ? <Choice {...props} values={values} /> : <TextField {...props} />;
}

function Switch({ setting, label, describedBy, onChange }: ControlProps) {
  const isOn = setting.value === true;
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={() => onChange(!isOn)}
    >
      <span class="switch-track" aria-hidden="true" />
      {isOn ? 'On' : 'Off'}
    </button>
  );
}

function Choice({ setting, label, describedBy, onChange, values }: ControlProps & { values: string[] }) {
  return (
    <select
      aria-label={label}
      aria-describedby={describedBy}
      value={String(setting.value)}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}

function Toggles({ setting, label, describedBy, onChange, values }: ControlProps & { values: string[] }) {
  const chosen = Array.isArray(setting.value) ? setting.value : [];
  const toggle = (value: string) =>
    onChange(values.filter((one) => (one === value ? !chosen.includes(one) : chosen.includes(one))));
  return (
    <fieldset class="toggles" aria-label={label} aria-describedby={describedBy}>
      {values.map((value) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
          {value}
        </label>
      ))}
    </fieldset>
  );
}

function NumberField({ setting, onChange, ...rest }: ControlProps) {
  const { min, max } = setting.allowed;
  return (
    <Field
      {...rest}
      shown={String(setting.value)}
      input={{
        type: 'number',
        inputMode: 'decimal',
        step: setting.allowed.type === 'integer' ? 1 : 'any',
        min: min ?? undefined,
        max: max ?? undefined,
      }}
      onSay={(text) => onChange(text === '' ? null : Number(text))}
    />
  );
}

const TextField = ({ setting, onChange, ...rest }: ControlProps) => (
  <Field
    {...rest}
    shown={String(setting.value ?? '')}
    input={{ type: 'text' }}
    onSay={(text) => onChange(text || null)}
  />
);

function ListField({ setting, onChange, ...rest }: ControlProps) {
  const shown = Array.isArray(setting.value) ? setting.value.join(', ') : '';
  const read = (text: string) => text.split(',').flatMap((name) => name.trim() || []);
  return (
    <Field {...rest} shown={shown} input={{ type: 'text', class: 'wide' }} onSay={(text) => onChange(read(text))} />
  );
}

type FieldProps = Omit<ControlProps, 'setting' | 'onChange'> & {
  shown: string;
  input: preact.InputHTMLAttributes;
  /** On Enter, or when the field is left, and only if it says something else than before. */
  onSay: (text: string) => void;
};

function Field({ shown, input, label, describedBy, isBad, onSay }: FieldProps) {
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  return (
    <input
      {...input}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isBad}
      value={text}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
      onChange={() => text.trim() !== shown && onSay(text.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText(shown);
      }}
    />
  );
}
