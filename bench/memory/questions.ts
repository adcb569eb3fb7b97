// What each way to look something up answers, and how much one reads for it.
import type { SearchParameters } from '../../src/core/shapes/asked.ts';
import { search } from '../../src/mcp/tools.ts';
import { type Case, holdsAll, plain, type Question } from './case.ts';
import { grep, grepWords, wordsOfPattern } from './grep.ts';
import type { Played } from './play.ts';

export type Arm = {
  /** Of the questions that have an answer. */
  correct: number;
  /** Read for a question, on average. */
  characters: number;
  /** Of the questions without an answer: nothing was claimed. */
  silent: number;
  /** Questions for which something that is no longer so was given without a mark. */
  stale: number;
};
export type QuestionScore = { arms: Record<string, Arm>; asked: number; absent: number; missed: string[] };

const ARMS = [
  'start page',
  'note',
  'one search',
  'note + one search',
  'note + next search',
  'start + note',
  'three searches',
  'all of it',
  'grep once',
  'grep',
  'grep, by the question',
  'search, other words',
  'grep, same other words',
  'search, words of grep',
  'note + search, words of grep',
] as const;

export async function askQuestions(cases: Case[], played: Played): Promise<QuestionScore> {
  const arms = Object.fromEntries(ARMS.map((name) => [name, { correct: 0, characters: 0, silent: 0, stale: 0 }])) as Record<string, Arm>;
  const score: QuestionScore = { arms, asked: 0, absent: 0, missed: [] };
  for (const one of cases) {
    const page = await readPage(played, one);
    for (const question of one.questions) await askOne(score, { one, question, played, page });
  }
  const all = score.asked + score.absent;
  for (const arm of Object.values(arms)) arm.characters /= all || 1;
  return score;
}

export const describeQuestions = (name: string, { arms, asked, absent }: QuestionScore): string[] => [
  `\n${name}: ${asked} questions with an answer, ${absent} without`,
  `${'arm'.padEnd(30)}correct  characters  silent  stale`,
  ...Object.entries(arms).map(
    ([arm, { correct, characters, silent, stale }]) =>
      `${arm.padEnd(30)}${String(correct).padStart(7)}${String(Math.round(characters)).padStart(12)}${String(silent).padStart(8)}${String(stale).padStart(7)}`,
  ),
];

type Asking = { one: Case; question: Question; played: Played; page: string };

async function askOne(score: QuestionScore, asking: Asking): Promise<void> {
  const read = await readAll(asking);
  const { question, one } = asking;
  const isAbsent = question.kind === 'absent';
  score[isAbsent ? 'absent' : 'asked']++;
  const correct: string[] = [];
  for (const [name, texts] of Object.entries(read)) {
    const arm = score.arms[name];
    if (!arm) continue;
    const text = texts.filter(Boolean).join('\n\n');
    arm.characters += text.length;
    if (isAbsent) arm.silent += Number(text === '');
    else if (holdsAll(plain(text), question.answer ?? [])) {
      arm.correct++;
      correct.push(name);
    }
    if (isStale(texts, question)) arm.stale++;
  }
  if (!isAbsent && !correct.includes('three searches'))
    score.missed.push(`${one.name}: ${question.ask}\n   wanted ${JSON.stringify(question.answer)}; by ${correct.join(', ') || 'nothing'}`);
}

async function readAll({ one, question, played, page }: Asking): Promise<Record<(typeof ARMS)[number], string[]>> {
  const place = played.places.get(one.name);
  if (!place) throw new Error(`${one.name} was not played`);
  const note = await readNote(played, place.root, question.ask);
  const searches: string[] = [];
  for (const query of [question.ask, ...(question.queries ?? [])].slice(0, 3)) searches.push(await readSearch(played, place.root, query));
  // As in a session that was given the note with its prompt: the worker knows what that said.
  const after = note === '' ? searches.slice(0, 1) : [await readSearch(played, place.root, question.ask, note)];
  // The note has looked the question up already: whoever searches then does so in words of their own.
  const [next] = question.queries ?? [];
  const own = next === undefined ? after : note === '' ? searches.slice(1, 2) : [await readSearch(played, place.root, next, note)];
  const greps = (question.grep ?? []).slice(0, 3).map((pattern) => grep(place.transcripts, pattern));
  const [pattern = ''] = question.grep ?? [];
  // The words that somebody chose for grep, given to one search: alone, and as whoever was given the note searches.
  const byPattern = async (given: string) => (pattern === '' ? '' : readSearch(played, place.root, wordsOfPattern(pattern), given));
  const alone = await byPattern('');
  const behindNote = note === '' ? alone : await byPattern(note);
  return {
    'start page': [page],
    note: [note],
    'one search': searches.slice(0, 1),
    'note + one search': [note, ...after],
    'note + next search': [note, ...own],
    'start + note': [page, note],
    'three searches': searches,
    'all of it': [page, note, ...searches],
    'grep once': greps.slice(0, 1),
    grep: greps,
    'grep, by the question': [grepWords(place.transcripts, question.ask)],
    'search, other words': searches.slice(1, 2),
    'grep, same other words': [grepWords(place.transcripts, next ?? '')],
    'search, words of grep': [alone],
    'note + search, words of grep': [note, behindNote],
  };
}

async function readPage(played: Played, one: Case): Promise<string> {
  const { text } = await played.api.previewContext({ cwd: played.places.get(one.name)?.root ?? '' });
  return text;
}

async function readNote(played: Played, cwd: string, prompt: string): Promise<string> {
  const { text } = await played.api.previewContext({ cwd, prompt });
  return text;
}

/** As an agent reads it, with as many rows as the tool gives by itself; nothing found is nothing read. */
async function readSearch(played: Played, cwd: string, query: string, given = ''): Promise<string> {
  const calls = { ...played.api, search: (asked: SearchParameters) => played.api.search({ ...asked, given }) };
  const text = await search.run({ query }, { calls, scope: { cwd } });
  return text.includes('Nothing found in') ? '' : text;
}

const MARKED = /replaced|superseded|ruled.out|no longer|marked (?:wrong|incorrect)/i;

/** A line or paragraph says what is no longer so, and nothing in it says that. */
function isStale(texts: string[], { not = [] }: Question): boolean {
  if (not.length === 0) return false;
  const paragraphs = texts.flatMap((text) => text.split(/\n(?=#|\s{0,2}#?[SP]?\d+ )|\n\n/));
  return paragraphs.some((one) => not.some((word) => plain(one).includes(plain(word))) && !MARKED.test(one));
}
