// When nothing is kept and nothing is added to context: the contract of pause, incognito, what is off, and how each is worded.

import type { ProjectNames } from './project.ts';
import type { Silence } from './shapes/silence.ts';
import { formatDate, formatTime } from './time.ts';

export type SilencePlace = {
  session: string | null;
  cwd: string;
  project: ProjectNames;
  /** When it happened, not when it came. */
  at: number;
};

type OffSettings = { off: boolean; projects: Record<string, { off?: boolean }>; doubt?: string | null };

/** What the settings turn off. Where everything is off, a project that is off is no news. */
export function listOff(settings: OffSettings): Silence[] {
  if (settings.doubt) return [silenceInDoubt(settings.doubt)];
  if (settings.off) return [{ ...OFF, scope: 'everything', name: '' }];
  const labels = Object.entries(settings.projects).flatMap(([label, own]) => (own.off ? [label] : []));
  return labels.map((name) => ({ ...OFF, scope: 'project', name }));
}

/** Memory that goes on because of a slip in a file would keep what somebody wanted to be silent. */
export const silenceInDoubt = (reason: string): Silence => ({ ...OFF, scope: 'everything', name: '', reason });

const OFF = { kind: 'off', since: null, until: null } as const;

/** `paused until 18:00 (everything)`, `off: project shop`, `incognito: session 1f3a…`. */
export function describeSilence({ kind, scope, name, until, reason }: Silence, now: number): string {
  const whose = scope === 'everything' ? scope : `${scope} ${name}`;
  const end = sayUntil(until, now);
  if (kind === 'off') return `off: ${whose}${reason ? `: ${reason}` : ''}`;
  if (kind === 'excluded') return `excluded: ${whose}`;
  return scope === 'session' ? `incognito${end}: ${whose}` : `paused${end} (${whose})`;
}

export function announceSilence(silence: Silence, now: number): string {
  if (silence.reason) return `claude-mem is off: ${silence.reason}. Until then nothing is stored or added to sessions.`;
  return `claude-mem is ${sayState(silence, now)}: nothing is stored or added to sessions.`;
}

function sayState({ kind, scope, name, until }: Silence, now: number): string {
  if (kind === 'excluded') return 'off in this folder, which is excluded';
  if (kind === 'off') return scope === 'everything' ? 'off' : `off in ${name}`;
  const where = { everything: '', project: ` in ${name}`, session: ' for this session' }[scope];
  return `paused${where}${sayUntil(until, now)}`;
}

/** ` until 18:00`; with the day when it is another one. '' without an end. */
export function sayUntil(until: number | null, now: number): string {
  if (until === null) return '';
  const day = formatDate(until);
  return ` until ${day === formatDate(now) ? '' : `${day} `}${formatTime(until)}`;
}
