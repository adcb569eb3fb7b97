// Whether a tool touches a project that is silent, from a session that works in another.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Action, SessionEvent } from '../../core/event.ts';
import { type ProjectNames, settingsFor } from '../../core/project-settings.ts';
import { homeDir } from '../../paths.ts';
import { silencesAt } from '../../store/sessions/silences.ts';
import { identifyPlace, nameProject } from '../projects/identify-place.ts';
import { isExcludedFile } from './exclusions.ts';
import { findSilence, type SilenceSettings } from './silence.ts';
import { wordsOfCommand } from './words-of-command.ts';

export type Touch = {
  event: SessionEvent;
  at: number;
  /** Those that were asked already. */
  known: readonly ProjectNames[];
};

export function touchesSilentProject(db: Database, settings: SilenceSettings, { event, at, known }: Touch): boolean {
  if (event.kind !== 'tool' || !isAnySilent(db, settings, at)) return false;
  return pathsOf(event.action, event.cwd).some((path) => {
    const folder = isFolder(path) ? path : dirname(path);
    const identity = identifyPlace(folder, settings);
    // Without git a folder is a part of where the session works.
    const isPart = ({ root, key }: ProjectNames) =>
      identity.isPlain ? `${identity.root}/`.startsWith(`${root}/`) : root === identity.root && key === identity.key;
    if (known.some(isPart)) return false;
    const project = nameProject(db, identity);
    const { excludePaths } = settingsFor(settings, project);
    const place = { session: event.session, cwd: folder, project, at };
    return (
      findSilence(db, settings, place) !== null ||
      isExcludedFile({ excludePaths, root: project.root, cwd: folder }, path)
    );
  });
}

/** Mostly no project is, and then nobody has to look where a file lies. */
function isAnySilent(db: Database, { projects }: SilenceSettings, at: number): boolean {
  const isSet = Object.values(projects).some((own) => own.off || (own.excludePaths?.length ?? 0) > 0);
  return isSet || silencesAt(db, at).some(({ scope }) => scope === 'project');
}

const MOST_PATHS = 5;

function pathsOf(action: Action, cwd: string): string[] {
  if (action.type === 'edit' || action.type === 'read') return action.file === '' ? [] : [resolve(cwd, action.file)];
  if (action.type === 'search') return action.path ? [resolve(cwd, action.path)] : [];
  if (action.type !== 'command') return [];
  const whole = wordsOfCommand(action.command).map((word) => word.replace(/^~(?=\/|$)/, homeDir()));
  return [...new Set(whole.filter((word) => word.startsWith('/') && exists(word)))].slice(0, MOST_PATHS);
}

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
