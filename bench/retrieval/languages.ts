// Five other languages: questions that share words with their answer, that have none, or are asked in English, among a thousand memories in six languages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Finder } from '../../src/search/find.ts';
import { searchMemories } from '../../src/search/search.ts';
import { createBank } from './bank.ts';
import type { Loaded } from './measure.ts';
import { readData } from './read-data.ts';

const Commits = z.array(z.object({ hash: z.string(), subject: z.string(), body: z.string() }));
const COMMITS = 700;
const LANGUAGES = ['de', 'es', 'fr', 'zh', 'ja'];
/** `unseen`: nobody reads its cases. */
const HALVES = ['unseen', 'work'] as const;

export type Half = (typeof HALVES)[number];
/**
 * `absent`: without an answer, among all memories. `few`, `fewShared`: asked of a young project, with memories of one language alone.
 * `same` and `across`: asked a second time, in English, for a memory in another language, for one in English.
 */
const KINDS = ['absent', 'few', 'shared', 'fewShared', 'same', 'across'] as const;
type Kind = (typeof KINDS)[number];
/** `id`: of its answer. */
type Asked = { half: Half; language: string; kind: Kind; question: string; id: string | null };
type Count = { right: number; of: number; byLanguage: Record<string, string> };
export type LanguagesResult = Record<Half, Record<Kind, Count>>;

/**
 * Of each line its kind and language, then: `M` a memory in that language, English keywords, a question that shares words, one that shares
 * none, an English question; `A` an English memory, keywords, a question, an English question; `N` a question without an answer.
 */
const readCases = (half: Half) =>
  readFileSync(join(import.meta.dir, 'languages', `${half}.tsv`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

export async function loadLanguages(dataDir: string): Promise<Loaded<LanguagesResult> | null> {
  const commits = readData(dataDir, 'boltons-commits.json', Commits);
  if (!commits) return null;
  const bank = createBank();
  const add = (id: string, note: { title?: string; text: string; keywords: string }, project = ALL) =>
    bank.addNote({ project, id, at: 0, title: null, ...note });
  // Of a commit its own subject: what a model would say of an English text.
  for (const { hash, subject, body } of commits.slice(0, COMMITS)) add(hash, { title: subject, text: body, keywords: subject });
  for (const [at, { language, ...said }] of readSaid(dataDir).entries()) {
    add(`said-${at}`, said);
    add(`few-${at}`, { ...said, keywords: '' }, fewOf(language));
  }
  const cases = HALVES.flatMap((half) =>
    readCases(half).flatMap(([kind, language = '', text = '', keywords = '', question = '', ...others], at): Asked[] => {
      const none = { half, language, question: text, id: null };
      if (kind === 'N') {
        return [
          { ...none, kind: 'absent' },
          { ...none, kind: 'few' },
        ];
      }
      const id = String(add(`${half}-${at}`, { text, keywords }));
      const english = { half, language, question: others.at(-1) ?? '', id };
      if (kind === 'A') return [{ ...english, kind: 'across' }];
      const few = String(add(`few-${half}-${at}`, { text, keywords: '' }, fewOf(language)));
      return [
        { half, language, kind: 'shared', question, id },
        { half, language, kind: 'fewShared', question, id: few },
        { ...english, kind: 'same' },
      ];
    }),
  );
  const ask = async (finder: Finder): Promise<LanguagesResult> => {
    const result = Object.fromEntries(HALVES.map((half) => [half, Object.fromEntries(KINDS.map((kind) => [kind, empty()]))]));
    for (const { half, kind, language, question, id } of cases) {
      const project = kind === 'few' || kind === 'fewShared' ? fewOf(language) : ALL;
      const filters = { projectIds: [bank.projectId(project)] };
      const { results } = await searchMemories(finder, { ...FIRST_FIVE, filters, query: question });
      const isRight = id === null ? results.length === 0 : results.some((row) => row.id === id);
      count(result[half]?.[kind], language, isRight);
    }
    return result as LanguagesResult;
  };
  return { bank, ask };
}

const ALL = 'languages';
const fewOf = (language: string) => `few-${language}`;
const FIRST_FIVE = { order: 'relevance', limit: 5, offset: 0, why: false } as const;

const empty = (): Count => ({ right: 0, of: 0, byLanguage: {} });

function count(into: Count | undefined, language: string, isRight: boolean): void {
  if (!into) return;
  const [right = 0, of = 0] = (into.byLanguage[language] ?? '').split('/').map(Number);
  into.byLanguage[language] = `${right + Number(isRight)}/${of + 1}`;
  into.right += Number(isRight);
  into.of++;
}

/** Sentences of agents at work, in these languages. */
const readSaid = (dataDir: string) =>
  readFileSync(join(dataDir, 'sentences.tsv'), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, language = '', role]) => role === 'agent' && LANGUAGES.includes(language))
    .map(([, language = '', , text = '']) => ({ language, text, keywords: KEYWORDS.get(hashOf(text)) ?? '' }));

/** As a model would give them. */
const KEYWORDS = new Map(
  readFileSync(join(import.meta.dir, 'languages/said-keywords.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t') as [string, string]),
);
const hashOf = (text: string) => new Bun.CryptoHasher('sha1').update(text).digest('hex').slice(0, 10);
