// Everything that the files of one session say, in the order it happened: its own, and those of its subagents.
import type { Agent, TranscriptFile, TranscriptReader, TranscriptRecord } from '../agents/agent.ts';
import { type FileLine, readCompressed, readLines, readWhole } from './read-lines.ts';

export type SourceFile = TranscriptFile & {
  /** Where to begin. */
  from: number;
  size: number;
  /** Nothing more will be written to it. */
  isOver: boolean;
};

/** Mostly a record; without one some of a file went by. */
export type SessionStep = {
  record: TranscriptRecord | null;
  /** Since the step before, over all files. */
  bytes: number;
  /** A line that nobody can read; `isEndless`: no agent writes such a line, and the rest of its file was not read. */
  damaged?: { path: string; position: number; why: string; isEndless?: boolean };
  /** The last of a file: where a later reading of it must begin. */
  resume?: { path: string; position: number };
};

export const readSession = (host: Agent, files: SourceFile[]): Generator<SessionStep> => merge(files.map((file) => readFile(host, file)));

/** So much is read without a word about it. */
const QUIET_BYTES = 256 * 1024;

function* readFile(host: Agent, file: SourceFile): Generator<SessionStep> {
  const { path, from, size, isOver } = file;
  const lines = open(path, from);
  let reader: TranscriptReader | null = null;
  let told = from;
  const step = (record: TranscriptRecord | null, position: number): SessionStep => {
    const bytes = Math.max(0, position - told);
    told += bytes;
    return { record, bytes };
  };
  for (const { text, position, isEndless, isLost, isLast } of lines) {
    // What is said only once stands in the first line, wherever this reading begins.
    if (text !== '') reader ??= host.createReader(file, position === 0 ? text : firstLine(path));
    const records = text === '' ? [] : (reader?.read(text, position) ?? []);
    for (const record of records) yield step(record, position);
    // What says something was readable; most of the rest is of no use, and some of it damaged.
    const isDamaged = !(isLast && !isOver) && (isLost || (text !== '' && records.length === 0 && !isJson(text)));
    if (isEndless) yield { ...step(null, position), damaged: { path, position, why: ENDLESS, isEndless } };
    else if (isDamaged) yield { ...step(null, position), damaged: { path, position, why: NO_JSON } };
    else if (text === '' || position - told >= QUIET_BYTES) yield step(null, position);
  }
  for (const record of reader?.finish(isOver) ?? []) yield { record, bytes: 0 };
  yield { ...step(null, size), resume: { path, position: reader?.resumeAt() ?? from } };
}

function open(path: string, from: number): Iterable<FileLine> {
  if (path.endsWith('.zst')) return readCompressed(path);
  return path.endsWith('.json') ? readWhole(path) : readLines(path, from);
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
