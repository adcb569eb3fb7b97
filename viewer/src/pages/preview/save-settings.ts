// Keeps the settings that were tried, for all projects; the toast takes it back.
import type { ToldSettings } from '../../../../src/core/shapes/context.ts';
import { ApiError, ask } from '../../api.ts';
import { say } from '../../parts/toasts.tsx';
import { place } from '../../router.ts';
import type { SettingsAnswer } from '../settings/answer.ts';
import { toSettings, tryNothing } from './asked.ts';

type Changes = Record<string, unknown>;

export type Saving = {
  set: ToldSettings;
  /** What the project on the page is known by; its own settings go before those of all. */
  names: readonly string[];
  onSaved: () => void;
};

export async function saveSettings({ set, names, onSaved }: Saving): Promise<void> {
  const changes = toSettings(place.value.query, set);
  await orSay(async () => {
    const before = await readBefore(Object.keys(changes));
    const { projects } = await put(changes);
    tryNothing();
    onSaved();
    const own = names.flatMap((name) => Object.keys(projects[name] ?? {})).filter((name) => name in changes);
    const takeBack = () => orSay(() => put(before).then(onSaved));
    say(own.length > 0 ? `Saved. This project has its own ${own.join(', ')} and keeps it.` : 'Saved for all projects.', {
      action: { name: 'Undo', run: () => void takeBack() },
    });
  });
}

const put = (body: Changes) => ask<SettingsAnswer>('/api/settings', { method: 'PATCH', body });

/** Null: the default. */
async function readBefore(names: string[]): Promise<Changes> {
  const { settings } = await ask<SettingsAnswer>('/api/settings');
  const meant = settings.filter(({ name }) => names.includes(name));
  return Object.fromEntries(meant.map(({ name, value, isDefault }) => [name, isDefault ? null : value]));
}

async function orSay(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`${error.message} ${error.hint}`, { isBad: true });
  }
}
