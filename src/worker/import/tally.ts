// What came of the lines of an import, in numbers and in sentences.

import { type ExportCounts, LINE_KINDS, noLines } from '../../core/export.ts';
import { sayCount } from '../../core/say-count.ts';
import { wordTable } from '../../core/word-table.ts';

export type ImportTally = {
  added: ExportCounts;
  /** So many of the sessions are none to people: a log of git. */
  gitLogs: number;
  known: number;
  /** By reason. */
  refused: Record<string, number>;
  bad: number;
  /** The first of them. */
  badLines: { number: number; reason: string }[];
  /** What the header promises; null when it is not known. */
  expected: ExportCounts | null;
  addRefused: (reason: string) => void;
  addBad: (number: number, reason: string) => void;
};

const MOST_TOLD = 10;

export function startTally(): ImportTally {
  const tally: ImportTally = {
    added: noLines(),
    gitLogs: 0,
    known: 0,
    refused: {},
    bad: 0,
    badLines: [],
    expected: null,
    addRefused(reason) {
      tally.refused[reason] = (tally.refused[reason] ?? 0) + 1;
    },
    addBad(number, reason) {
      tally.bad++;
      if (tally.badLines.length < MOST_TOLD) tally.badLines.push({ number, reason });
    },
  };
  return tally;
}

export function describeImport(tally: ImportTally): string[] {
  const { known, refused, bad, badLines } = tally;
  const lines = [sayAdded(tally)];
  if (known > 0) lines.push(`${sayCount(known, 'lines')} ${known === 1 ? 'was' : 'were'} known already`);
  const reasons = Object.entries(refused).map(([reason, n]) => `${say(n)} ${WHY[reason] ?? reason}`);
  if (reasons.length > 0) lines.push(`left out: ${reasons.join(', ')}`);
  if (bad > 0) lines.push(`${sayCount(bad, 'lines')} could not be read:`);
  for (const { number, reason } of badLines) lines.push(`  line ${number}: ${reason}`);
  if (bad > badLines.length) lines.push(`  and ${say(bad - badLines.length)} more`);
  const missing = countMissing(tally);
  if (missing > 0)
    lines.push(
      `The file ends early: ${sayCount(missing, 'lines')} that its header promises ${missing === 1 ? 'is' : 'are'} not in it.`,
    );
  return lines;
}

function sayAdded({ added, gitLogs }: ImportTally): string {
  const { observation, summary, prompt, turn } = added;
  const sessions = added.session - gitLogs;
  if (Object.values(added).every((count) => count === 0)) return 'Nothing in it is new.';
  const others = `${sayCount(observation, 'observations')}, ${sayCount(summary, 'summaries')}`;
  const records = turn > 0 ? `, ${sayCount(prompt, 'prompts')} and ${sayCount(turn, 'records')}` : '';
  const memories = others + (records || ` and ${sayCount(prompt, 'prompts')}`);
  return `${memories} of ${sayCount(sessions, 'new sessions')}`;
}

export const AS_MINE = 'if the file is your own, import it with --as-mine';

const WHY = wordTable<string>({
  paused: 'from a time that was paused',
  off: 'of projects that are off',
  excluded: 'of excluded paths',
  forgotten: 'that were forgotten',
  'own-observer': "of claude-mem's own runs",
  half: 'links to what is not there',
  'not-mine': `that only their own person may say (prompts, records, summaries, marks): ${AS_MINE}`,
  'nothing-left': 'that were private, excluded or forgotten',
});

/** What the header promises and nobody found: the file was cut. A line of rubbish may be one more than it promises. */
export function countMissing({ expected, added, known, refused, bad }: ImportTally): number {
  if (!expected) return 0;
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, n) => total + n, 0);
  const promised = LINE_KINDS.reduce((total, kind) => total + expected[kind], 0);
  return Math.max(0, promised - sum(added) - known - sum(refused) - bad);
}

const say = (count: number) => count.toLocaleString('en');
