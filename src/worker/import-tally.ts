// What came of the lines of an import, in numbers and in sentences.
import { type ExportCounts, LINE_KINDS, noLines } from '../core/export.ts';

export type ImportTally = {
  added: ExportCounts;
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
  const { added, known, refused, bad, badLines } = tally;
  const lines = [
    `${say(added.observation)} observations, ${say(added.summary)} summaries and ${say(added.prompt)} prompts of ${say(added.session)} new sessions`,
  ];
  if (known > 0) lines.push(`${say(known)} lines were known already`);
  const reasons = Object.entries(refused).map(([reason, n]) => `${say(n)} ${WHY[reason] ?? reason}`);
  if (reasons.length > 0) lines.push(`left out: ${reasons.join(', ')}`);
  if (bad > 0) lines.push(`${say(bad)} ${bad === 1 ? 'line' : 'lines'} could not be read:`);
  for (const { number, reason } of badLines) lines.push(`  line ${number}: ${reason}`);
  if (bad > badLines.length) lines.push(`  and ${say(bad - badLines.length)} more`);
  const missing = countMissing(tally);
  if (missing > 0) lines.push(`The file ends early: ${say(missing)} lines that its header promises are not in it.`);
  return lines;
}

const WHY: Record<string, string> = {
  paused: 'from a time that was paused',
  off: 'of projects that are off',
  excluded: 'of excluded paths',
  forgotten: 'that were forgotten',
  'own-observer': "of claude-mem's own runs",
  half: 'links to what is not there',
  'nothing-left': 'that were private, excluded or forgotten',
};

function countMissing({ expected, added, known, refused, bad }: ImportTally): number {
  if (!expected) return 0;
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, n) => total + n, 0);
  const promised = LINE_KINDS.reduce((total, kind) => total + expected[kind], 0);
  return promised - sum(added) - known - sum(refused) - bad;
}

const say = (count: number) => count.toLocaleString('en');
