// Several questions to the person at the terminal, one after the other. On stderr: what is printed may go elsewhere.
import { createInterface } from 'node:readline';
import { isPerson } from '../only-person.ts';

/** Resolves with what was typed, without space around it; with null when the input has ended: nobody answers. */
export type Ask = (question: string) => Promise<string | null>;

/** Runs `talk` with one reader for all of its questions: a second one would miss what the first has read ahead. */
export async function withQuestions(talk: (ask: Ask) => Promise<void>): Promise<void> {
  const reader = createInterface({ input: process.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  try {
    await talk(async (question) => {
      process.stderr.write(question);
      const { value, done } = await lines.next();
      return done ? null : String(value).trim();
    });
  } finally {
    reader.close();
  }
}

export const isYes = (answer: string | null) => /^y(es)?$/i.test(answer ?? '');
export const isNo = (answer: string | null) => /^no?$/i.test(answer ?? '');

/** There is a person: they see the question, and what is typed is theirs. */
export const canAsk = () => process.stdin.isTTY === true && isPerson();
