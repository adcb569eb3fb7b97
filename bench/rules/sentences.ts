// Labelled sentences of users: the shared file, split once and for all into what may be read and what nobody reads, and our own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promptStatements } from '../../src/observe/turn.ts';
import { holds, loadCases, plain } from '../memory/case.ts';

export type Labelled = {
  text: string;
  language: string;
  isRule: boolean;
  /** Laid down about one function or the parts of one application: a decision more than a rule. */
  isOfOnePiece: boolean;
  /** Chosen once, or how the product behaves: a decision, too. Known of sentences to work on alone. */
  isOneOff: boolean;
  isUnseen: boolean;
};

/** label, language, role, text, source … with a head line. */
export function readSentences(path: string): Labelled[] {
  return readRows(path)
    .slice(1)
    .filter(([, , role]) => role === 'user')
    .map(([label, language = '', , text = '', source = '']) => ({
      text,
      language,
      isRule: label === 'rule',
      isOfOnePiece: /^(?:sde|dmb)-/.test(source),
      isOneOff: ONE_OFF.has(hashOf(text).slice(0, 12)),
      isUnseen: isUnseen(text),
    }));
}

/** Written for this: label, language, text. */
export const readOwn = (): Labelled[] =>
  readRows(join(import.meta.dir, 'work.tsv')).map(([label, language = '', text = '']) => ({
    text,
    language,
    isRule: label === 'rule',
    isOfOnePiece: false,
    isOneOff: false,
    isUnseen: false,
  }));

/** Every sentence of the scripted cases that may be worked on. Of a turn with a rule, only the rule. */
export const readCases = (): Labelled[] =>
  loadCases('work').flatMap(({ sessions = [], rules, language }) =>
    sessions
      .flatMap(({ turns }) => turns)
      .flatMap(({ prompt }, at) => {
        const here = rules.filter(({ turn }) => turn === at + 1);
        const isRule = (text: string) => here.some(({ words }) => words.some((word) => holds(plain(text), word)));
        return promptStatements(prompt)
          .filter((text) => here.length === 0 || isRule(text))
          .map((text) => ({
            text,
            language,
            isRule: here.length > 0,
            isOfOnePiece: false,
            isOneOff: false,
            isUnseen: false,
          }));
      }),
  );

const readRows = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

/** Six of sixteen, by the words alone: a sentence never changes sides. */
const isUnseen = (text: string) => Number.parseInt(hashOf(text).charAt(0), 16) >= 10;

const hashOf = (text: string) => new Bun.CryptoHasher('sha1').update(text).digest('hex');

/**
 * English sentences to work on that are labelled as rules and choose once ("Go for option B.") or tell how the product behaves ("Prices are
 * gross"), by their hash. Those of the unseen part stay as they are labelled: to tell them apart somebody would have to read them.
 */
const ONE_OFF = new Set(
  readFileSync(join(import.meta.dir, 'one-off.txt'), 'utf8')
    .trimEnd()
    .split('\n'),
);
