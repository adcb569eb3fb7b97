// The page "Settings": pause, theme, and every setting in groups, saved as soon as it is changed.
import { useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { Problem } from '../parts/problem.tsx';
import { ThemeChoice } from '../parts/theme-choice.tsx';
import '../styles/settings.css';
import { useAnswer } from '../use-answer.ts';
import type { PageProps } from './index.ts';
import type { Setting, SettingsAnswer } from './settings/answer.ts';
import { findSettings, GROUPS, type Group } from './settings/groups.ts';
import { OwnProjects } from './settings/own-projects.tsx';
import { Pause } from './settings/pause.tsx';
import { SettingRow } from './settings/setting-row.tsx';

export function SettingsPage(_: PageProps) {
  const read = useAnswer<SettingsAnswer>('/api/settings');
  const [changed, setChanged] = useState<SettingsAnswer | null>(null);
  const [words, setWords] = useState('');
  const answer = changed ?? read.data;
  const { data: status } = useAnswer<{ web: { address: string | null } }>('/api/status');
  const notes: Record<string, string> = status ? { workerPort: sayDoor(status.web.address) } : {};
  const save = async (name: string, value: unknown) =>
    setChanged(await ask<SettingsAnswer>('/api/settings', { method: 'PATCH', body: { [name]: value } }));
  return (
    <div class="page settings">
      <header>
        <div>
          <h1>Settings</h1>
          <p class="lead">A change is saved at once and holds for what comes next.</p>
        </div>
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </header>
      <Pause />
      <section class="row spread">
        <h2>Theme</h2>
        <div class="theme-field">
          <ThemeChoice />
        </div>
      </section>
      {read.error && <Problem error={read.error} onRetry={read.again} />}
      {answer &&
        GROUPS.map((group) => (
          <GroupOf key={group.title} group={group} settings={findSettings(group, answer.settings, words)} notes={notes} save={save} />
        ))}
      {answer && <OwnProjects projects={answer.projects} />}
    </div>
  );
}

const sayDoor = (address: string | null) => (address ? `In use: ${new URL(address).port || address}` : 'No port is open just now.');

type GroupProps = {
  group: Group;
  settings: Setting[];
  notes: Record<string, string>;
  save: (name: string, value: unknown) => Promise<void>;
};

function GroupOf({ group, settings, notes, save }: GroupProps) {
  if (settings.length === 0) return null;
  return (
    <section>
      <h2>{group.title}</h2>
      <p class="lead small">{group.lead}</p>
      <ul class="settings-list plain">
        {settings.map((setting) => (
          <SettingRow
            key={setting.name}
            setting={setting}
            label={group.names[setting.name] ?? setting.name}
            note={notes[setting.name] ?? null}
            save={(value) => save(setting.name, value)}
          />
        ))}
      </ul>
    </section>
  );
}
