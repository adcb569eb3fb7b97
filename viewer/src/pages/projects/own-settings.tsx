// The settings that can differ in one project, and what differs there.
import { useState } from 'preact/hooks';
import type { ProjectRow } from '../../../../src/core/shapes/project.ts';
import { ask } from '../../api.ts';
import { useAnswer } from '../../use-answer.ts';
import type { Setting, SettingsAnswer } from '../settings/answer.ts';
import { nameSetting } from '../settings/groups.ts';
import { SettingRow } from '../settings/setting-row.tsx';
import '../../styles/settings.css';

export function OwnSettings({ row: { key, project } }: { row: ProjectRow }) {
  const read = useAnswer<SettingsAnswer>('/api/settings');
  const [changed, setChanged] = useState<SettingsAnswer | null>(null);
  const answer = changed ?? read.data;
  if (!answer) return null;
  const own = answer.projects[key] ?? answer.projects[project] ?? {};
  const settings = answer.settings.filter(({ isPerProject, isSafe }) => isPerProject && isSafe);
  const save = async (name: string, value: unknown) =>
    setChanged(await ask<SettingsAnswer>('/api/settings', { method: 'PATCH', query: { project: key }, body: { [name]: value } }));
  return (
    <details>
      <summary>
        Settings of this project <span class="faint number">{Object.keys(own).length || ''}</span>
      </summary>
      <ul class="settings-list plain">
        {settings.map((setting) => (
          <SettingRow
            key={setting.name}
            setting={withOwn(setting, own)}
            label={nameSetting(setting.name)}
            note={setting.name in own ? 'Differs here' : null}
            save={(value) => save(setting.name, value)}
          />
        ))}
      </ul>
    </details>
  );
}

/** Elsewhere is the default here. */
const withOwn = (setting: Setting, own: Record<string, unknown>): Setting => ({
  ...setting,
  default: setting.value,
  isDefault: !(setting.name in own),
  value: setting.name in own ? own[setting.name] : setting.value,
});
