// How far an import is, for a bar, and what it says at its end.
import type { FoundSession } from '../importer/transcript-files.ts';
import type { PastCounts } from '../store/past.ts';
import type { ImportNews } from './import-wire.ts';
import type { JobControl } from './job.ts';

export type ImportProgress = {
  add: (found: FoundSession, bytes: number) => void;
  took: (found: FoundSession, news: ImportNews) => void;
  finish: (now: PastCounts, before: PastCounts) => string[];
};

const MOST_NAMED = 5;

export function createImportProgress(sessions: FoundSession[], control: JobControl): ImportProgress {
  const total = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  const told = new Map<FoundSession, number>();
  const failed: string[] = [];
  const counts = { sessions: 0, events: 0, observations: 0, read: 0 };
  let done = 0;
  const report = () =>
    control.report({
      step: `${number(counts.read)} of ${number(sessions.length)} sessions`,
      done,
      total,
      unit: 'bytes',
      counts: { events: counts.events, observations: counts.observations },
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
      counts.read++;
      if (news.kind === 'failed') failed.push(`${found.files[0]?.path}: ${news.error}`);
      if (news.kind === 'taken') {
        counts.events += news.added;
        counts.observations += news.observations;
        counts.sessions += Number(news.added > 0);
      }
      report();
    },
    finish(now, before) {
      if (sessions.length === 0) return ['There are no transcripts to read.'];
      const isWhole = !control.signal.aborted;
      const lines = [
        `${isWhole ? 'Read' : 'Stopped after'} ${count(counts.read, 'session')}: ${count(counts.events, 'event')} of ${count(counts.sessions, 'session')} had not been known.`,
        `Remembered: ${count(now.observations - before.observations, 'observation')}, ${count(now.summaries - before.summaries, 'summary', 'summaries')} and ${count(now.prompts - before.prompts, 'prompt')} more than before.`,
      ];
      const more = failed.length > MOST_NAMED ? [`… and ${number(failed.length - MOST_NAMED)} more.`] : [];
      const problems = failed.slice(0, MOST_NAMED).map((problem) => `Could not be read: ${problem}`);
      return [...lines, ...problems, ...more];
    },
  };
}

const number = (value: number) => value.toLocaleString('en');
const count = (value: number, one: string, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;
