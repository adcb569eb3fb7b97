// What changes a setting: a switch, a number, a choice, a list or a text, as its type asks for.
import { SECTION_NAMES } from '../preview/words.ts';
import { isNumber, type Setting } from './answer.ts';
import { LongField, NumberLine, TextLine } from './field.tsx';

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
  const names: Record<string, string> = setting.name === 'contextSections' ? SECTION_NAMES : {};
  const toggle = (value: string) => onChange(values.filter((one) => (one === value ? !chosen.includes(one) : chosen.includes(one))));
  return (
    <fieldset class="toggles" aria-label={label} aria-describedby={describedBy}>
      {values.map((value) => (
        <label key={value} title={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
          {names[value] ?? value}
        </label>
      ))}
    </fieldset>
  );
}

function NumberField({ setting, onChange, ...rest }: ControlProps) {
  const { type, min, max } = setting.allowed;
  return (
    <NumberLine
      {...rest}
      shown={String(setting.value)}
      range={{ step: type === 'integer' ? 1 : 'any', min: min ?? undefined, max: max ?? undefined }}
      onSay={(text) => onChange(text === '' ? null : Number(text))}
    />
  );
}

const TextField = ({ setting, onChange, ...rest }: ControlProps) => (
  <TextLine {...rest} shown={String(setting.value ?? '')} onSay={(text) => onChange(text || null)} />
);

function ListField({ setting, onChange, ...rest }: ControlProps) {
  const shown = Array.isArray(setting.value) ? setting.value.join(', ') : '';
  const read = (text: string) => text.split(',').flatMap((name) => name.trim() || []);
  return <LongField {...rest} shown={shown} onSay={(text) => onChange(read(text))} />;
}
