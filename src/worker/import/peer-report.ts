// What came of an import from another claude-mem, counted, and said to a person at its end.
import { countUnreadable } from '../../core/job.ts';
import { wordTable } from '../../core/word-table.ts';
import { AS_MINE } from './tally.ts';

const KINDS = ['sessions', 'prompts', 'observations', 'summaries'] as const;
type Kind = (typeof KINDS)[number];

export type PeerReport = {
  came: (kind: Kind) => void;
  known: (kind: Kind) => void;
  refused: (reason: string) => void;
  unreadable: () => void;
  /** A name that no project of ours, or more than one, goes by. */
  unmatched: (project: string) => void;
  counts: () => Record<string, number>;
  say: () => string[];
};

export function createPeerReport(): PeerReport {
  const came = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  const known = new Map<Kind, number>();
  const refused = new Map<string, number>();
  const projects = new Set<string>();
  let unreadable = 0;

  return {
    came: (kind) => add(came, kind),
    known: (kind) => add(known, kind),
    refused: (reason) => add(refused, reason),
    unreadable: () => {
      unreadable++;
    },
    unmatched: (project) => projects.add(project),
    counts: () => ({
      ...Object.fromEntries(came),
      known: sum(known),
      refused: sum(refused),
      ...countUnreadable(unreadable),
    }),
    say: () => [
      `Came in: ${list(came)}.`,
      ...(known.size > 0 ? [`Known already: ${list(known)}.`] : []),
      ...(refused.size > 0 ? [`Left out: ${list(refused, (reason) => WHY[reason] ?? reason)}.`] : []),
      ...(unreadable > 0 ? [`Could not be read, because the file is damaged there: ${say(unreadable, 'rows')}.`] : []),
      ...(projects.size > 0 ? sayUnmatched([...projects]) : []),
    ],
  };
}

const WHY = wordTable<string>({
  'not-mine': `prompts, summaries and parts of sessions of yours: ${AS_MINE}`,
  paused: 'from a time when memory was paused',
  off: 'of projects that memory is off for',
  excluded: 'of excluded folders',
  forgotten: 'of forgotten sessions',
  'own-observer': 'of an observer itself',
  private: 'of private turns',
  silenced: 'that sum up what was paused or excluded',
  'private-excluded-or-forgotten': 'private, excluded or forgotten',
});

const MOST_NAMED = 20;

function sayUnmatched(names: string[]): string[] {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return [
    `Not matched with one project of yours: ${shown}${more}. The file tells no more than their names.`,
    'They are projects of their own now: claude-mem projects merge FROM INTO puts them where they belong.',
  ];
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((one, other) => one + other, 0);

const list = (counts: Map<string, number>, name = (key: string) => key) =>
  [...counts].map(([key, n]) => say(n, name(key))).join(', ');

const ONE = wordTable<string>({
  sessions: 'session',
  prompts: 'prompt',
  observations: 'observation',
  summaries: 'summary',
  rows: 'row',
});

const say = (n: number, what: string) => `${n.toLocaleString('en-US')} ${n === 1 ? (ONE[what] ?? what) : what}`;
