// The page "Settings": pause, look, the settings that matter, and all others by group behind a search; saved as soon as one is changed.
import { useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { density, toggleDensity } from '../density.ts';
import { formatCount } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { ThemeChoice } from '../parts/theme-choice.tsx';
import { useAnswer } from '../use-answer.ts';
import type { PageProps } from './index.ts';
import type { Setting, SettingsAnswer } from './settings/answer.ts';
import { FIRST, findSettings, GROUPS, type Group, nameSetting } from './settings/groups.ts';
import { Pause } from './settings/pause.tsx';
import { SettingRow } from './settings/setting-row.tsx';
import '../styles/settings.css';

export function SettingsPage(_: PageProps) {
  const read = useAnswer<SettingsAnswer>('/api/settings');
  const [changed, setChanged] = useState<SettingsAnswer | null>(null);
  const [words, setWords] = useState('');
  const answer = changed ?? read.data;
  const save: Save = async (name, value) =>
    setChanged(await ask<SettingsAnswer>('/api/settings', { method: 'PATCH', body: { [name]: value } }));
  return (
    <div class="page narrow settings" data-finding={words !== '' || undefined}>
      <header>
        <h1>Settings</h1>
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </header>
      {read.error && <Problem error={read.error} onRetry={read.again} />}
      {words === '' && (
        <>
          <Pause />
          <section class="setting">
            <h3>Theme</h3>
            <div class="theme-field">
              <ThemeChoice />
            </div>
          </section>
          <section class="setting">
            <h3>Rows of lists</h3>
            <p>
              <button type="button" aria-pressed={density.value === 'roomy'} onClick={toggleDensity}>
                {density.value === 'roomy' ? 'Make them compact' : 'Make them roomy'}
              </button>
            </p>
          </section>
        </>
      )}
      {!answer && !read.error && <Skeleton rows={8} />}
      {answer && words === '' && <First settings={answer.settings} save={save} />}
      {answer && <Groups answer={answer} words={words} save={save} />}
      {answer && Object.keys(answer.projects).length > 0 && words === '' && (
        <p class="faint small">
          Some settings differ in {formatCount(Object.keys(answer.projects).length, 'project')}: <a href="/view/projects">Projects</a>
        </p>
      )}
    </div>
  );
}

type Save = (name: string, value: unknown) => Promise<void>;

function First({ settings, save }: { settings: Setting[]; save: Save }) {
  const shown = FIRST.flatMap((name) => settings.find((setting) => setting.name === name) ?? []);
  return (
    <section>
      <h2>What matters most</h2>
      <Rows settings={shown} save={save} />
    </section>
  );
}

function Groups({ answer, words, save }: { answer: SettingsAnswer; words: string; save: Save }) {
  const groups = GROUPS.map((group): [Group, Setting[]] => [group, findSettings(group, answer.settings, words)]);
  const found = groups.filter(([, settings]) => settings.length > 0);
  if (found.length === 0) {
    return (
      <Empty title={`No setting has “${words}”`}>
        <p>Names and descriptions are searched. Try another word.</p>
      </Empty>
    );
  }
  return (
    <section class="settings-all">
      {words === '' && <h2>All settings</h2>}
      {found.map(([group, settings]) => (
        <details key={group.title} class="settings-group" open={words !== ''}>
          <summary>
            <strong>{group.title}</strong> <span class="faint small">{group.lead}</span>
            <span class="faint number">{settings.length}</span>
          </summary>
          <Rows settings={settings} save={save} />
        </details>
      ))}
    </section>
  );
}

const Rows = ({ settings, save }: { settings: Setting[]; save: Save }) => (
  <ul class="settings-list plain">
    {settings.map((setting) => (
      <SettingRow
        key={setting.name}
        setting={setting}
        label={nameSetting(setting.name)}
        note={null}
        save={(value) => save(setting.name, value)}
      />
    ))}
  </ul>
);
