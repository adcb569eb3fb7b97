// A silence in a sentence.
import type { Silence } from '../../src/core/shapes/silence.ts';
import { formatDay, formatTime, startOfDay } from './format.ts';

export function saySilence({ kind, scope, name, until, reason }: Silence): string {
  const whose = scope === 'everything' ? 'Everything' : scope === 'project' ? `Project ${name}` : `Session ${name}`;
  if (kind === 'off') return `${whose} is off${reason ? `: ${reason}` : ''}.`;
  if (kind === 'excluded') return `${whose} is excluded.`;
  return `${whose} is paused${sayUntil(until)}.`;
}

function sayUntil(until: number | null): string {
  if (until === null) return ' until somebody resumes it';
  const isToday = startOfDay(until) === startOfDay(Date.now());
  return ` until ${isToday ? '' : `${formatDay(until)}, `}${formatTime(until)}`;
}
