// How far an import is, for a bar, and what it says at its end.

import { AskError } from '../../core/ask-error.ts';
import { countUnreadable } from '../../core/job.ts';

import { sayCount } from '../../core/say-count.ts';
import type { FoundSession } from '../../importer/transcript-files.ts';
import type { PastCounts } from '../../store/memories/past.ts';
import type { JobControl } from '../jobs/job.ts';
import type { Unreadable } from '../transcripts/take-session.ts';
import type { ImportNews } from './wire.ts';

export type ImportProgress = {
  add: (found: FoundSession, bytes: number) => void;
  took: (found: FoundSession, news: ImportNews) => void;
  /** Throws when nothing could be read. */
  finish: (now: PastCounts, before: PastCounts) => string[];
};

export function createImportProgress(sessions: FoundSession[], control: JobControl): ImportProgress {
  const total = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  const told = new Map<FoundSession, number>();
  const failed = new Map<string, string>();
  const damage: Unreadable = { count: 0, lines: [] };
  const counts = { sessions: 0, events: 0, observations: 0, read: 0, ended: 0 };
  let done = 0;
  const report = () =>
    control.report({
      step: `${counts.ended.toLocaleString('en')} of ${sayCount(sessions.length, 'sessions')}`,
      done,
      total,
      unit: 'bytes',
      counts: {
        events: counts.events,
        observations: counts.observations,
        ...countUnreadable(failed.size + damage.count),
      },
    });
  report();
  return {
    add(found, bytes) {
      const before = told.get(found) ?? 0;
      const more = Math.min(bytes, found.bytes - before);
      told.set(found, before + more);
      done += more;
      report();
    },
    took(found, news) {
      done += found.bytes - (told.get(found) ?? 0);
      told.delete(found);
      counts.ended++;
      if (news.kind === 'failed') failed.set(found.files[0]?.path ?? '', news.error);
      if (news.kind === 'taken') {
        counts.read++;
        counts.events += news.added;
        counts.observations += news.observations;
        counts.sessions += Number(news.added > 0);
        damage.count += news.unreadable?.count ?? 0;
        damage.lines.push(...(news.unreadable?.lines ?? []).slice(0, MOST_LINES - damage.lines.length));
      }
      report();
    },
    finish(now, before) {
      if (sessions.length === 0) return ['There are no transcripts to read.'];
      if (failed.size > 0 && counts.read === 0) throw unreadable(failed);
      const begin = `${control.signal.aborted ? 'Stopped after' : 'Read'} ${sayCount(counts.read, 'sessions')}`;
      const end = [...listFailed(failed), ...listDamage(damage)];
      return [`${begin}: ${sayNew(counts, damage.count > 0)}.`, ...sayMore(now, before), ...end];
    },
  };
}

function sayNew({ events, sessions }: { events: number; sessions: number }, isDamaged: boolean): string {
  if (events > 0) return `${sayCount(events, 'events')} of ${sayCount(sessions, 'sessions')} had not been known`;
  return isDamaged ? 'nothing new could be read' : 'all of it was known already, or is to be left out';
}

/** What is to be made anew is gone for a while: then there is less, and nothing to say. */
function sayMore(now: PastCounts, before: PastCounts): string[] {
  const more = (['observations', 'summaries', 'prompts'] as const).flatMap((what) =>
    now[what] > before[what] ? sayCount(now[what] - before[what], what) : [],
  );
  const last = more.pop();
  if (last === undefined) return [];
  return [`Remembered: ${more.length > 0 ? `${more.join(', ')} and ` : ''}${last} more than before.`];
}

const MOST_NAMED = 5;

function listFailed(failed: Map<string, string>): string[] {
  const more = failed.size > MOST_NAMED ? [`… and ${(failed.size - MOST_NAMED).toLocaleString('en')} more.`] : [];
  const problems = [...failed].slice(0, MOST_NAMED).map(([path, why]) => {
    // The system names the file again.
    const reason = why.split(/, \w+ '/)[0];
    return `Could not be read: ${path}: ${reason}`;
  });
  return [...problems, ...more];
}

const MOST_LINES = 10;

function listDamage({ count, lines }: Unreadable): string[] {
  if (count === 0) return [];
  const more = count > lines.length ? [`  and ${(count - lines.length).toLocaleString('en')} more`] : [];
  const named = lines.map(({ path, line, why }) => `  ${path}, line ${line.toLocaleString('en')}: ${why}`);
  return [`${sayCount(count, 'lines')} could not be read:`, ...named, ...more];
}

const unreadable = (failed: Map<string, string>) =>
  new AskError('invalid', ['Nothing could be read.', ...listFailed(failed)].join('\n'), '');
