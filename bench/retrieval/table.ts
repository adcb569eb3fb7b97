// The results as a table with counts, each against its goal.
import type { Half, LanguagesResult } from './languages.ts';
import type { Results, SetName, Way } from './main.ts';

type Row = { set: SetName; label: string; goal: number | null; isCount?: boolean; read: (results: Results) => Cell };
type Cell = { value: number; of: number } | undefined;

const at = (value: number | undefined, of: number | undefined): Cell =>
  value === undefined || of === undefined ? undefined : { value, of };

const ofLanguages = (half: Half, kind: keyof LanguagesResult[Half], label: string, goal: number): Row => ({
  set: 'languages',
  label: `${label}, ${half}`,
  goal,
  read: ({ languages }) => {
    const found = languages?.[half][kind];
    return found && at(found.right / Math.max(1, found.of), found.of);
  },
});

const ROWS: Row[] = [
  { set: 'sde', label: 'sde conversation R@1', goal: 16 / 17, read: ({ sde }) => at(sde?.r1, sde?.n) },
  { set: 'sde', label: 'sde conversation R@5', goal: 1, read: ({ sde }) => at(sde?.r5, sde?.n) },
  {
    set: 'sde',
    label: 'sde amended, newer first',
    goal: 1,
    read: ({ sde }) => sde && at(sde.amended / Math.max(1, sde.amendedOf), sde.amendedOf),
  },
  { set: 'commits', label: 'commits R@1', goal: 13 / 14, read: ({ commits }) => at(commits?.r1, commits?.n) },
  { set: 'locomo', label: 'LoCoMo turn R@5', goal: 0.7, read: ({ locomo }) => at(locomo?.turnR5, locomo?.n) },
  { set: 'locomo', label: 'LoCoMo turn R@10', goal: 0.785, read: ({ locomo }) => at(locomo?.turnR10, locomo?.n) },
  { set: 'locomo', label: 'LoCoMo session R@5', goal: 0.9, read: ({ locomo }) => at(locomo?.sessionR5, locomo?.n) },
  { set: 'locomo', label: 'LoCoMo session R@10', goal: 0.96, read: ({ locomo }) => at(locomo?.sessionR10, locomo?.n) },
  { set: 'devmem', label: 'DevMemBench session MRR', goal: 0.95, read: ({ devmem }) => at(devmem?.mrr, devmem?.n) },
  { set: 'cosqa', label: 'CoSQA MRR', goal: 0.92, read: ({ cosqa }) => at(cosqa?.mrr, cosqa?.n) },
  ofLanguages('unseen', 'absent', 'languages, no answer', 0.9),
  ofLanguages('unseen', 'few', 'a young project, no answer', 0.9),
  ofLanguages('unseen', 'shared', 'languages, words shared', 0.95),
  ofLanguages('unseen', 'fewShared', 'a young project, words shared', 0.95),
  ofLanguages('unseen', 'same', 'languages, in English, R@5', 0.6),
  ofLanguages('unseen', 'across', 'English, in English, R@5', 0.8),
  ofLanguages('work', 'absent', 'languages, no answer', 0.9),
  ofLanguages('work', 'few', 'a young project, no answer', 0.9),
  ofLanguages('work', 'shared', 'languages, words shared', 0.95),
  ofLanguages('work', 'fewShared', 'a young project, words shared', 0.95),
  ofLanguages('work', 'same', 'languages, in English, R@5', 0.6),
  ofLanguages('work', 'across', 'English, in English, R@5', 0.8),
];

export function printResults(results: Record<Way, Results>): void {
  const ways = Object.keys(results) as Way[];
  console.log(line(['', ...ways, 'goal (minilm)']));
  for (const { label, goal, read } of ROWS) {
    const cells = ways.map((way) => format(read(results[way])));
    if (cells.every((cell) => cell === '-')) continue;
    const reached = read(results.minilm);
    const verdict = goal === null || !reached ? '' : reached.value >= goal - 1e-9 ? 'reached' : 'missed';
    console.log(line([label, ...cells, `${goal === null ? '' : goal.toFixed(3)} ${verdict}`]));
  }
  const { sde } = results.minilm;
  if (!sde) return;
  console.log(
    `\nsde by the task's own conversation alone: ${ways.map((way) => `${way} ${results[way].sde?.ownR1}`).join(', ')} of ${sde.n}; at most ${sde.ownR1AtMost} can be, since twin tasks ask the same question word for word.`,
  );
}

/** With how many of how many, where that is a count. */
function format(cell: Cell): string {
  if (!cell) return '-';
  const count = cell.value * cell.of;
  return `${cell.value.toFixed(3)} (${Number.isInteger(Math.round(count * 1e6) / 1e6) ? count.toFixed(0) : count.toFixed(1)}/${cell.of})`;
}

const line = ([first = '', ...rest]: string[]) => `${first.padEnd(36)}${rest.map((cell) => cell.padEnd(22)).join('')}`.trimEnd();
