// One setting: its name, what it does, its control; what became of the last change, and the way back.

import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { formatNumber } from '../../format.ts';
import { hintOf } from '../../hints.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { withCode } from '../../parts/with-code.tsx';
import { canChange, deletes, isNumber, type Setting } from './answer.ts';
import { Control } from './control.tsx';
import { sayDefault, sayValue } from './say-value.ts';

export type SettingRowProps = {
  setting: Setting;
  label: string;
  /** What holds just now, where that is not what is set. */
  note: string | null;
  /** Rejects with the worker's words. Null: the default again. */
  save: (value: unknown) => Promise<void>;
};

type Saved =
  | { kind: 'none' }
  | { kind: 'asked'; value: unknown }
  | { kind: 'saved'; before: unknown }
  | { kind: 'refused'; error: ApiError };

export function SettingRow({ setting, label, note, save }: SettingRowProps) {
  const [saved, setSaved] = useState<Saved>({ kind: 'none' });
  const ids = { about: `about-${setting.name}`, more: `more-${setting.name}` };
  const [rounds, setRounds] = useState(0);
  const change = (value: unknown) =>
    save(value).then(
      () => setSaved({ kind: 'saved', before: setting.isDefault ? null : setting.value }),
      (error) => setSaved({ kind: 'refused', error: asApiError(error) }),
    );
  const offer = (value: unknown) => (deletes(setting, value) ? setSaved({ kind: 'asked', value }) : change(value));
  // The field shows what applies again.
  const leave = () => {
    setSaved({ kind: 'none' });
    setRounds(rounds + 1);
  };
  return (
    <li class="setting">
      <div class="setting-words">
        <h3>{label}</h3>
        <p id={ids.about} class="small">
          {setting.about}
        </p>
      </div>
      <div class="setting-control">
        {canChange(setting) ? (
          <Control
            setting={setting}
            label={label}
            describedBy={`${ids.about} ${ids.more}`}
            isBad={saved.kind === 'refused'}
            key={rounds}
            onChange={offer}
          />
        ) : (
          <p class="setting-fixed">{sayFixed(setting)}</p>
        )}
        {note && <p class="tiny">{note}</p>}
        {canChange(setting) ? (
          <p id={ids.more} class="tiny faint">
            <code>{setting.name}</code> · default {sayDefaultOf(setting)}
            {sayRange(setting)}
          </p>
        ) : (
          <WhyNot setting={setting} />
        )}
        <div class="setting-after tiny" role="status">
          <After saved={saved} onUndo={offer} />
          {canChange(setting) && !setting.isDefault && saved.kind !== 'saved' && (
            <button type="button" class="quiet" onClick={() => change(null)}>
              Reset
            </button>
          )}
        </div>
        {saved.kind === 'asked' && <DeleteDialog setting={setting} label={label} value={saved.value} onSave={change} onClose={leave} />}
      </div>
    </li>
  );
}

type DeleteProps = { setting: Setting; label: string; value: unknown; onSave: (value: unknown) => void; onClose: () => void };

const DeleteDialog = ({ setting, label, value, onSave, onClose }: DeleteProps) => (
  <Dialog title={`${label}: ${sayValue(value)}?`} onClose={onClose}>
    <p>{setting.about}</p>
    <p>What is over that is deleted for good, from now on. Pinned memories and your rules stay.</p>
    <p class="row">
      <button type="button" class="danger solid" onClick={() => onSave(value)}>
        Set, and delete what is over it
      </button>
      <button type="button" data-first onClick={onClose}>
        Cancel
      </button>
    </p>
  </Dialog>
);

function After({ saved, onUndo }: { saved: Saved; onUndo: (value: unknown) => void }) {
  if (saved.kind === 'none' || saved.kind === 'asked') return null;
  if (saved.kind === 'refused') {
    return (
      <p class="bad-text">
        {saved.error.message} {withCode(hintOf(saved.error))}
      </p>
    );
  }
  return (
    <p class="row faint">
      Saved.
      <button type="button" class="quiet" onClick={() => onUndo(saved.before)}>
        Undo
      </button>
    </p>
  );
}

function WhyNot({ setting }: { setting: Setting }) {
  const { variable, isFromVariable, whyNot, isDefault } = setting;
  if (isFromVariable) {
    return (
      <p class="tiny faint">
        <code>{variable}</code> decides it in this worker. <code>claude-mem restart</code> without it lets the file decide.
      </p>
    );
  }
  return (
    <p class="tiny faint">
      {!isDefault && `Default ${sayDefaultOf(setting)}. `}
      {whyNot} <ByCommand setting={setting} />
    </p>
  );
}

/** The command that changes it. A key is asked for, so that it stands in no history of a shell. */
function ByCommand({ setting: { name, allowed, value } }: { setting: Setting }) {
  const choices = (allowed.values ?? (allowed.type === 'boolean' ? ['true', 'false'] : [])).filter((one) => one !== String(value));
  const [chosen, setChosen] = useState('');
  const next = choices.includes(chosen) ? chosen : (choices[0] ?? 'VALUE');
  return (
    <span class="row">
      {choices.length > 1 && (
        <select aria-label={`New value of ${name}`} value={next} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {choices.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      <Copyable text={`claude-mem config set ${name}${name === 'apiKey' ? '' : ` ${next}`}`} />
    </span>
  );
}

/** A port is a name that is made of digits. */
const sayFixed = ({ name, value }: Setting) => (name === 'workerPort' ? String(value) : sayValue(value));
const sayDefaultOf = (setting: Setting) =>
  setting.name === 'workerPort' ? String(setting.default) : sayDefault(setting.default, setting.allowed.values);

function sayRange(setting: Setting): string {
  const { min, max } = setting.allowed;
  if (!isNumber(setting) || max === null) return '';
  return `, ${formatNumber(min ?? 0)} to ${formatNumber(max)}`;
}

const asApiError = (error: unknown) => (error instanceof ApiError ? error : new ApiError(0, String(error), ''));
