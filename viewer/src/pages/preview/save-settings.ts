// Keeps the settings that were tried, for all projects.
import type { ToldSettings } from '../../../../src/core/context.ts';
import { ApiError, ask } from '../../api.ts';
import { say } from '../../parts/toasts.tsx';
import { place } from '../../router.ts';
import { toSettings, tryNothing } from './asked.ts';

type Saved = { projects: Record<string, Record<string, unknown>> };

/** `names`: what the project on the page is known by; its own settings go before those of all. */
export async function saveSettings(set: ToldSettings, names: readonly string[]): Promise<void> {
  const body = toSettings(place.value.query, set);
  try {
    const { projects } = await ask<Saved>('/api/settings', { method: 'PATCH', body });
    const own = names.flatMap((name) => Object.keys(projects[name] ?? {})).filter((name) => name in body);
    tryNothing();
    say(own.length > 0 ? `Saved. This project has its own ${own.join(', ')} and keeps it.` : 'Saved for all projects.');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`${error.message} ${error.hint}`, { isBad: true });
  }
}
