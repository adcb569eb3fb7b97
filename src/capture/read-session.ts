// Everything that the files of one session say, in the order it happened: its own, and those of its subagents.
import type { Agent, TranscriptFile, TranscriptReader, TranscriptRecord } from '../agents/agent.ts';
import { type FileLine, readLines, readWhole } from './read-lines.ts';

export type SourceFile = TranscriptFile & {
  /** Where to begin. */
  from: number;
  size: number;
  /** Nothing more will be written to it. */
  isOver: boolean;
};

/** What is read beside the records. A record may be null: some of the file went by without one. */
type SessionStep = {
  record: TranscriptRecord | null;
  /** Bytes since the step before, over all files. */
  bytes: number;
};

type SessionReading = {
  steps: Generator<SessionStep>;
  /** Where a later reading of each file must begin. */
  resumeAt: () => Map<string, number>;
  damage: () => Damage;
};

/** What was passed over because nobody can read it. */
export type Damage = {
  /** Of lines. */
  count: number;
  /** The first of them. */
  lines: DamagedLine[];
  /** Files with a line that no agent writes: the rest of them was not read. */
  endless: number;
};

type DamagedLine = { path: string; position: number; why: string };

/** So many are named. */
const MOST_NAMED = 10;

export function readSession(host: Agent, files: SourceFile[]): SessionReading {
  const positions = new Map<string, number>();
  const damage: Damage = { count: 0, lines: [], endless: 0 };
  const keep: Keep = {
    position: (path, at) => positions.set(path, at),
    damaged: (line, isEndless = false) => {
      damage.count++;
      damage.endless += Number(isEndless);
      if (damage.lines.length < MOST_NAMED) damage.lines.push(line);
    },
  };
  const streams = files.map((file) => readFile(host, file, keep));
  return { steps: merge(streams), resumeAt: () => positions, damage: () => damage };
}

/** So much is read without a word about it. */
const QUIET_BYTES = 256 * 1024;

type Keep = {
  position: (path: string, at: number) => void;
  damaged: (line: DamagedLine, isEndless?: boolean) => void;
};

function* readFile(host: Agent, file: SourceFile, keep: Keep): Generator<SessionStep> {
  const isWhole = file.path.endsWith('.json');
  const lines: Iterable<FileLine> = isWhole ? readWhole(file.path) : readLines(file.path, file.from);
  let reader: TranscriptReader | null = null;
  let told = file.from;
  for (const { text, position, isEndless, isLost, isLast } of lines) {
    const mayGoOn = isLast && !file.isOver;
    if (isEndless) keep.damaged({ path: file.path, position, why: ENDLESS }, true);
    if (isLost && !mayGoOn) keep.damaged({ path: file.path, position, why: NO_JSON });
    if (text === '') {
      yield { record: null, bytes: Math.max(0, position - told) };
      told = Math.max(told, position);
      continue;
    }
    // What is said only once stands in the first line, wherever this reading begins.
    reader ??= host.createReader(file, position === 0 ? text : firstLine(file.path));
    const records = reader.read(text, position);
    // What says something was readable; most of the rest is of no use, and some of it damaged.
    if (records.length === 0 && !mayGoOn && !isJson(text)) keep.damaged({ path: file.path, position, why: NO_JSON });
    for (const record of records) {
      yield { record, bytes: Math.max(0, position - told) };
      told = Math.max(told, position);
    }
    if (position - told < QUIET_BYTES) continue;
    yield { record: null, bytes: position - told };
    told = position;
  }
  for (const record of reader?.finish(file.isOver) ?? []) yield { record, bytes: 0 };
  keep.position(file.path, reader?.resumeAt() ?? file.from);
  yield { record: null, bytes: Math.max(0, file.size - told) };
}

const NO_JSON = 'it is no JSON';
const ENDLESS = 'it is longer than 64 MB, and nothing after it was read';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The question was whether it can be read.
    return false;
  }
}

/** It is read at once. */
const MOST_FIRST = 8 * 1024 * 1024;

function firstLine(path: string): string {
  for (const { text, position } of readLines(path)) if (text !== '' || position > MOST_FIRST) return text;
  return '';
}

/** By time; at one moment the earlier stream goes first. Within a stream the order of its file holds, whatever its clock says. */
function* merge(streams: Generator<SessionStep>[]): Generator<SessionStep> {
  const [only] = streams;
  if (only && streams.length === 1) return yield* only;
  const heads = streams.map((stream) => ({ stream, step: stream.next() }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.step.done) continue;
      if (!first || timeOf(head.step.value) < timeOf(first.step.value)) first = head;
    }
    if (!first || first.step.done) return;
    yield first.step.value;
    first.step = first.stream.next();
  }
}

/** What says nothing is passed over at once. */
const timeOf = (step: SessionStep | undefined) => step?.record?.at ?? 0;
