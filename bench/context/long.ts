// What later sessions of long work get: with a prompt, before an edit and after an error. The cases are those of bench:memory.
import { sendLine } from '../../src/client/send.ts';
import { type Case, holdsAll, plain, type Told } from '../memory/case.ts';
import type { Played } from '../memory/play.ts';
import { toLine } from '../spine/envelope.ts';
import { createBenchSession, type HookCall } from '../spine/payloads.ts';

export type NoteScore = {
  /** Prompts about the past; with any note; with one that says what it must and nothing that is no longer so. */
  prompts: number;
  noted: number;
  right: number;
  /** Prompts that the project knows nothing about; those that got no note. */
  unrelated: number;
  silent: number;
  /** Edits of files with a past, and those whose note is right. */
  edits: number;
  editsNoted: number;
  editsRight: number;
  errors: number;
  errorsNoted: number;
  errorsRight: number;
  /** Notes of any kind that give as current what is no longer so. */
  stale: number;
  /** Each case's prompts as one session, under the limits of the product. */
  sessions: number;
  notes: number;
  characters: number;
};

const ZERO: NoteScore = {
  prompts: 0,
  noted: 0,
  right: 0,
  unrelated: 0,
  silent: 0,
  edits: 0,
  editsNoted: 0,
  editsRight: 0,
  errors: 0,
  errorsNoted: 0,
  errorsRight: 0,
  stale: 0,
  sessions: 0,
  notes: 0,
  characters: 0,
};

export type NoteResult = { english: NoteScore; others: NoteScore; missed: string[] };

export async function scoreNotes(cases: Case[], played: Played): Promise<NoteResult> {
  const result: NoteResult = { english: { ...ZERO }, others: { ...ZERO }, missed: [] };
  for (const one of cases) {
    const score = result[one.language === 'en' ? 'english' : 'others'];
    const root = played.places.get(one.name)?.root ?? '';
    const miss = (what: string, text: string, wanted: Told) =>
      result.missed.push(`${one.name}: ${what}\n   wanted ${JSON.stringify(wanted)}\n${text.replace(/^/gm, '   | ')}`);
    for (const wanted of one.prompts) {
      const { text } = await played.api.previewContext({ cwd: root, prompt: wanted.prompt });
      if (!countPrompt(score, text, wanted)) miss(wanted.prompt, text, wanted);
    }
    for (const wanted of one.edits) {
      const { text } = await played.api.previewContext({ cwd: root, file: `${root}/${wanted.file}` });
      score.edits++;
      score.editsNoted += Number(text !== '');
      score.stale += Number(isStale(text, wanted));
      if (isRight(text, wanted)) score.editsRight++;
      else miss(`edit ${wanted.file}`, text, wanted);
    }
    await playSession(one, { root, score, socket: played.paths.workerSocket, miss });
  }
  return result;
}

function countPrompt(score: NoteScore, text: string, wanted: Told): boolean {
  score.stale += Number(isStale(text, wanted));
  if (wanted.nothing) {
    score.unrelated++;
    score.silent += Number(text === '');
    return text === '';
  }
  score.prompts++;
  score.noted += Number(text !== '');
  const right = isRight(text, wanted);
  score.right += Number(right);
  return right;
}

type Playing = {
  root: string;
  score: NoteScore;
  socket: string;
  miss: (what: string, text: string, wanted: Told) => void;
};

/** As hooks: what the limits of a session leave of the notes, and the errors, which nothing else can ask about. */
async function playSession(one: Case, { root, score, socket, miss }: Playing): Promise<void> {
  const ask = async (call: HookCall) => {
    const sent = await sendLine(socket, toLine(call), 10_000);
    return sent.kind === 'answer' ? readContext(sent.line) : '';
  };
  const session = createBenchSession(root);
  await ask(session.start());
  score.sessions++;
  for (const { prompt } of one.prompts) {
    const text = await ask(session.prompt(prompt));
    score.notes += Number(text !== '');
    score.characters += text.length;
  }
  const other = createBenchSession(root);
  await ask(other.start());
  await ask(other.prompt('go on'));
  for (const { command, out, ...wanted } of one.errors) {
    const text = await ask(other.bashFails(command, `Exit code 1\n${out}`));
    score.errors++;
    score.errorsNoted += Number(text !== '');
    score.stale += Number(isStale(text, wanted));
    if (isRight(text, wanted)) score.errorsRight++;
    else miss(`error ${out}`, text, wanted);
  }
  await ask(session.end());
  await ask(other.end());
}

/** The note in what the worker answers a hook; '' where there is none. */
function readContext(line: string): string {
  const { output } = JSON.parse(line) as { output?: string };
  if (!output) return '';
  const { hookSpecificOutput } = JSON.parse(output) as { hookSpecificOutput?: { additionalContext?: string } };
  return hookSpecificOutput?.additionalContext ?? '';
}

const isRight = (text: string, wanted: Told) => text !== '' && holdsAll(plain(text), wanted.must ?? []) && !isStale(text, wanted);

const MARKED = /replaced|ruled out|no longer/i;
/** `7 (was 3)`, `3 → 7`, `class A: → class B:`: that says it, too. */
const WAS = /\(was [^)]*\)|[^…\n:]*(?::\s*)?→/g;

/** A record says what is no longer so, and nothing in it says that. */
const isStale = (text: string, { not = [] }: Told) =>
  text.split(/\n(?=#)/).some((record) => not.some((word) => plain(record.replace(WAS, ' ')).includes(plain(word))) && !MARKED.test(record));

const share = (part: number, all: number) => (all === 0 ? '   –' : (part / all).toFixed(2).padStart(4));

export function describeNotes(name: string, score: NoteScore): string[] {
  const row = (what: string, part: number, all: number) => `  ${what.padEnd(44)}${share(part, all)}  (${part} of ${all})`;
  return [
    name,
    row('prompts about the past: note is right', score.right, score.prompts),
    row('of the notes they got, right', score.right, score.noted),
    row('unrelated prompts without a note', score.silent, score.unrelated),
    row('edits: note is right', score.editsRight, score.edits),
    row('of the notes they got, right', score.editsRight, score.editsNoted),
    row('errors: note is right', score.errorsRight, score.errors),
    row('of the notes they got, right', score.errorsRight, score.errorsNoted),
    `  ${'no longer so, given as current'.padEnd(44)}${String(score.stale).padStart(4)}`,
    `  ${'notes in a session'.padEnd(44)}${(score.notes / (score.sessions || 1)).toFixed(1).padStart(4)}`,
    `  ${'characters in a session'.padEnd(44)}${String(Math.round(score.characters / (score.sessions || 1))).padStart(4)}`,
  ];
}
