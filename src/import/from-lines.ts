// Takes what a file brings, line by line, through the same checks as everything else, a few milliseconds at a time.
// Stopped or killed, it goes on from there the next time: what is known is passed over.
import { type Database, SQLiteError } from 'bun:sqlite';
import { countUnreadable, type JobControl } from '../core/job.ts';
import { type ExportCounts, type ExportLine, LINE_KINDS, noLines } from '../core/shapes/export.ts';
import { sayCount, wordTable } from '../core/text.ts';
import { count } from '../store/counters.ts';
import { readFirst } from '../store/read.ts';
import { createLineTaker, type Taken, type TakerDeps } from './take-lines.ts';

export type LineImportDeps = Omit<TakerDeps, 'asMine'> & {
  clock: () => number;
  /** Something new is there to be indexed. */
  onStored: () => void;
};

/** `done`: how far it is with this one, in the unit of the source. Without a line it is known what becomes of it. */
export type Item = { number: number; done: number } & ({ line: ExportLine } | { line: null; taken: Taken });

type LineSource = {
  items: Generator<Item>;
  total: number;
  unit: 'bytes' | 'rows';
  onTaken?: (line: ExportLine, taken: Taken) => void;
};

/** One commit for so much work: hooks wait no longer than that. */
const SLICE_MS = 8;

export async function takeLines(
  deps: LineImportDeps & { asMine: boolean },
  source: LineSource,
  { tally, control }: { tally: ImportTally; control: JobControl },
): Promise<void> {
  const taker = createLineTaker(deps);
  const takeOne = (item: Item) => {
    const taken = item.line ? takeLine(deps.db, () => taker.take(item.line)) : item.taken;
    if (item.line) source.onTaken?.(item.line, taken);
    tally.add(item, taken);
    if (taken.kind === 'refused') count(deps.db, `dropped:${taken.reason}`, deps.clock());
  };
  for (let isOver = false; !isOver && !control.signal.aborted; ) {
    let done = 0;
    const takeSlice = () => {
      taker.begin();
      for (const end = performance.now() + SLICE_MS; performance.now() < end && !isOver; ) {
        const next = source.items.next();
        if (next.done) isOver = true;
        else {
          takeOne(next.value);
          done = next.value.done;
        }
      }
    };
    unsynced(deps.db, () => deps.db.transaction(takeSlice).immediate());
    const { total, unit } = source;
    const unreadable = countUnreadable(tally.bad + (isOver ? tally.missing() : 0));
    const counts = { memories: tally.memories(), ...unreadable };
    control.report({ step: 'reading', done: isOver ? total : Math.min(done, total), total, unit, counts });
    await control.pause();
  }
  // Not before: the index would be made beside it, by the same thread.
  deps.onStored();
}

/** What a line asks for that cannot be stored does not take the others along. */
function takeLine(db: Database, take: () => Taken): Taken {
  try {
    return db.transaction(take)();
  } catch (error) {
    if (!(error instanceof SQLiteError && error.code?.startsWith('SQLITE_CONSTRAINT'))) throw error;
    return { kind: 'bad', reason: 'it contradicts what is stored' };
  }
}

/**
 * Thousands of commits need not each wait for the disk: what a crash of the machine takes back is still in the file, and the job is
 * done only with a commit that does wait, for all of them. Only with a log, which no crash can leave half written.
 */
function unsynced(db: Database, work: () => void): void {
  const { journal_mode: journal } = readFirst<{ journal_mode: string }>(db, 'PRAGMA journal_mode') ?? {};
  if (journal === 'wal') db.run('PRAGMA synchronous = NORMAL');
  try {
    work();
  } finally {
    db.run('PRAGMA synchronous = FULL');
  }
}

const MOST_NAMED = 10;

/** What became of the lines of a file. */
export class ImportTally {
  readonly added = noLines();
  known = 0;
  /** By reason. */
  readonly refused: Record<string, number> = {};
  bad = 0;
  /** What the header promises; null when it is not known. */
  expected: ExportCounts | null = null;
  /** The first that could not be read. */
  private readonly badLines: string[] = [];
  private readonly unit: 'lines' | 'rows';

  constructor(unit: ImportTally['unit']) {
    this.unit = unit;
  }

  add({ number, line }: { number: number; line: ExportLine | null }, taken: Taken): void {
    if (taken.kind === 'known') this.known++;
    else if (taken.kind === 'refused') this.refused[taken.reason] = (this.refused[taken.reason] ?? 0) + 1;
    else if (taken.kind === 'bad') {
      this.bad++;
      if (this.badLines.length < MOST_NAMED) this.badLines.push(`${this.unit.slice(0, -1)} ${number}: ${taken.reason}`);
    } else if (line) this.added[line.kind]++;
  }

  memories(): number {
    return this.added.observation + this.added.summary + this.added.prompt;
  }

  /** What the header promises and nobody found: the file was cut. A line of rubbish may be one more than it promises. */
  missing(): number {
    const { expected } = this;
    if (!expected) return 0;
    const sum = (counts: number[]) => counts.reduce((total, n) => total + n, 0);
    const found = sum(Object.values(this.added)) + this.known + sum(Object.values(this.refused)) + this.bad;
    return Math.max(0, sum(LINE_KINDS.map((kind) => expected[kind])) - found);
  }

  describe(): string[] {
    const { added, known, refused, unit } = this;
    const isNew = Object.values(added).some((count) => count > 0);
    const lines = [isNew ? `${sayMemories(added)} of ${sayCount(added.session, 'new sessions')}` : 'Nothing in it is new.'];
    if (known > 0) lines.push(`${sayCount(known, unit)} ${known === 1 ? 'was' : 'were'} known already`);
    const reasons = Object.entries(refused).map(([reason, n]) => `${say(n)} ${WHY[reason] ?? reason}`);
    if (reasons.length > 0) lines.push(`left out: ${reasons.join(', ')}`);
    lines.push(...listUnreadable(this.bad, unit, this.badLines));
    const missing = this.missing();
    if (missing === 0) return lines;
    return [
      ...lines,
      `The file ends early: ${sayCount(missing, 'lines')} that its header promises ${missing === 1 ? 'is' : 'are'} not in it.`,
    ];
  }
}

export const listUnreadable = (count: number, what: string, named: string[]): string[] =>
  count === 0
    ? []
    : [
        `${sayCount(count, what)} could not be read:`,
        ...named.map((one) => `  ${one}`),
        ...(count > named.length ? [`  and ${say(count - named.length)} more`] : []),
      ];

export function sayMemories({ observation, summary, prompt, turn }: ExportCounts): string {
  const said = [sayCount(observation, 'observations'), sayCount(summary, 'summaries'), sayCount(prompt, 'prompts')];
  if (turn > 0) said.push(sayCount(turn, 'records'));
  return `${said.slice(0, -1).join(', ')} and ${said.at(-1)}`;
}

const WHY = wordTable<string>({
  paused: 'from a time that was paused',
  off: 'of projects that are off',
  excluded: 'of excluded paths',
  forgotten: 'that were forgotten',
  private: 'of private turns',
  silenced: 'that sum up what was paused or excluded',
  'own-observer': "of claude-mem's own runs",
  half: 'links to what is not there',
  'not-mine': 'that only their own person may say (prompts, records, summaries, marks): if the file is your own, import it with --as-mine',
  'nothing-left': 'that were private, excluded or forgotten',
});

const say = (count: number) => count.toLocaleString('en');
