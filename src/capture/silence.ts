// Pauses: when nothing is kept and nothing told. They stay when they are over: what happened in one may arrive much later.
import type { Database } from 'bun:sqlite';
import { basename } from 'node:path';
import type { Config } from '../config.ts';
import { hashParts } from '../core/ids.ts';
import { settingsFor } from '../core/project.ts';
import type { Silence, SilenceScope } from '../core/shapes/silence.ts';
import { listOff, type SilencePlace, silenceInDoubt } from '../core/silence.ts';
import { identifyProject } from '../git/identity.ts';
import { nameKnown } from '../projects/place.ts';
import { findProject, getProject } from '../projects/projects.ts';
import { readAll } from '../store/read.ts';
import { bury, isForgotten } from '../store/tombstones.ts';
import { isExcludedFolder } from './exclusions.ts';
import type { Session } from './sessions.ts';

export type SilenceSettings = Pick<Config, 'off' | 'excludePaths' | 'projects' | 'doubt' | 'subprojects'>;

export type SilenceRow = {
  scope: SilenceScope;
  /** The project's key or the agent's session id; '' for everything. */
  key: string;
  since: number;
  until: number | null;
};

/** What holds there: a pause, the longest if there are several, what is off, or an excluded folder. */
export function findSilence(db: Database, settings: SilenceSettings, place: SilencePlace): Silence | null {
  const { project, at, cwd } = place;
  if (settings.doubt) return silenceInDoubt(settings.doubt);
  const pause = silencesAt(db, at).find((row) => isAbout(row, place));
  if (pause) return showPause(db, pause, project.name);
  const { off, excludePaths } = settingsFor(settings, project);
  const own = { scope: 'project', name: project.name, since: null, until: null } as const;
  if (off) return { kind: 'off', ...own, ...(settings.off && { scope: 'everything', name: '' }) };
  return isExcludedFolder({ excludePaths, root: project.root, cwd }) ? { kind: 'excluded', ...own } : null;
}

/** Nothing is kept of it, and it is told nothing. */
export const isSilent = (db: Database, settings: SilenceSettings, place: SilencePlace): boolean =>
  findSilence(db, settings, place) !== null;

/** The project of a session that is known, as settings and pauses know it. */
export function projectOfSession(db: Database, session: Session): SilencePlace['project'] | null {
  const project = getProject(db, session.projectId);
  return project && nameKnown(db, project, { ...identifyProject(session.root), root: session.root });
}

function isAbout({ scope, key }: SilenceRow, { session, project }: SilencePlace): boolean {
  if (scope === 'everything') return true;
  // A pause of a repository holds in its folders that are projects of their own, too.
  return scope === 'project' ? key === project.key || project.others?.includes(key) === true : key === session;
}

/** Everything that is paused or off now, whoever it is about: for people. Of several pauses of one thing the longest. */
export function listSilences(db: Database, settings: SilenceSettings, now: number): Silence[] {
  const pauses = new Map<string, Silence>();
  for (const row of silencesAt(db, now)) {
    const about = `${row.scope} ${row.key}`;
    if (!pauses.has(about)) pauses.set(about, showPause(db, row, null));
  }
  return [...pauses.values(), ...listOff(settings)];
}

function showPause(db: Database, { scope, key, since, until }: SilenceRow, projectName: string | null): Silence {
  const name = scope === 'project' ? (projectName ?? findProject(db, key)?.name ?? basename(key)) : key;
  return { kind: 'paused', scope, name, since, until };
}

export function beginSilence(db: Database, { scope, key, since, until }: SilenceRow): void {
  db.query('INSERT INTO silences (scope, key, since_epoch, until_epoch) VALUES (?, ?, ?, ?)').run(scope, key, since, until);
}

/** Those that held at that time, the longest first. */
export function silencesAt(db: Database, at: number): SilenceRow[] {
  const sql = `SELECT scope, key, since_epoch AS since, until_epoch AS until FROM silences
    WHERE since_epoch <= ?1 AND (until_epoch IS NULL OR until_epoch > ?1)
    ORDER BY until_epoch IS NULL DESC, until_epoch DESC, id`;
  return readAll<SilenceRow>(db, sql, at);
}

/** Longer than any hook is under way. */
const UNDER_WAY_MS = 60_000;

/** One that begins in the future was begun before the clock was set back: it holds now all the same, and for the hooks under way. */
export function holdSilences(db: Database, now: number): void {
  const ahead = 'since_epoch > ?1 AND (until_epoch IS NULL OR until_epoch > since_epoch)';
  // Asked for first: mostly there is none, and then nothing is to be written.
  if (db.query(`SELECT 1 FROM silences WHERE ${ahead} LIMIT 1`).get(now) === null) return;
  db.query(`UPDATE silences SET since_epoch = ?1 - ${UNDER_WAY_MS} WHERE ${ahead}`).run(now);
}

/** Of one thing, or without it all there are; returns how many ended. */
export function endSilences(db: Database, at: number, about?: Pick<SilenceRow, 'scope' | 'key'>): number {
  const sql = `UPDATE silences SET until_epoch = max($at, since_epoch) WHERE (until_epoch IS NULL OR until_epoch > $at)
    AND ($scope IS NULL OR scope = $scope AND key = $key)`;
  return db.query(sql).run({ at, scope: about?.scope ?? null, key: about?.key ?? null }).changes;
}

// What was left out for reasons that no later look could tell is remembered among the tombstones: only hashes stay.
const LEFT = {
  silenced: (session: string) => hashParts(['silenced', session]),
  incognito: (session: string) => hashParts(['incognito', session]),
  prompt: (...promptAndSession: string[]) => hashParts(['left-out', ...promptAndSession]),
};

/** Something of this session was left out. What sums up all of it may not be kept any more. True the first time. */
export function markSilenced(db: Database, session: string, at: number): boolean {
  if (wasSilenced(db, session)) return false;
  bury(db, 'text', LEFT.silenced(session), at);
  return true;
}

export const wasSilenced = (db: Database, session: string): boolean => isForgotten(db, 'text', LEFT.silenced(session));

/** Its transcript is never read, whoever asks, and what sums up all of it is not kept. */
export function keepOut(db: Database, session: string, at: number): void {
  bury(db, 'text', LEFT.incognito(session), at);
  markSilenced(db, session, at);
}

export const isKeptOut = (db: Database, session: string): boolean => isForgotten(db, 'text', LEFT.incognito(session));

/** A turn was left out for a reason that a copy of it, under another session's id, would not meet. */
export function leaveOutPrompt(db: Database, session: string, promptId: string, at: number): void {
  bury(db, 'text', LEFT.prompt(promptId), at);
  bury(db, 'text', LEFT.prompt(promptId, session), at);
}

/** In its own session it is judged again, by its time. */
export const wasLeftOutElsewhere = (db: Database, session: string, promptId: string): boolean =>
  isForgotten(db, 'text', LEFT.prompt(promptId)) && !isForgotten(db, 'text', LEFT.prompt(promptId, session));
