// What observing a turn makes, before the store gives it an id.
import type { ObservationType, Outcome } from '../core/observation.ts';

/** A sentence and where it stands: the number of a step, one behind the last for the closing message, -1 for the prompt. */
export type Statement = { text: string; at: number };

export type Draft = {
  type: ObservationType;
  title: string;
  /** Each stands by itself, in the words of the session. */
  facts: Statement[];
  filesModified: string[];
  filesRead: string[];
  outcome: Outcome | null;
  /** Whose word it is. */
  by: 'user' | 'agent';
  isRule: boolean;
  /** The steps of the record that it rests on, counted as those of a statement. */
  steps: number[];
};

export const PROMPT = -1;

type Said = Pick<Draft, 'type' | 'steps' | 'facts'> & Partial<Omit<Draft, 'title'>> & { title: string | null };

/** None without a title. What is not said otherwise is the agent's, and nobody has checked it. */
export const makeDraft = ({ title, facts, steps, ...said }: Said): Draft[] =>
  title === null
    ? []
    : [
        {
          filesModified: [],
          filesRead: [],
          outcome: null,
          by: 'agent',
          isRule: false,
          ...said,
          title,
          facts: gatherFacts(facts),
          steps: [...new Set(steps)],
        },
      ];

const MOST_FACTS = 24;
const LONGEST_FACT = 400;

/** In order, none that another says already. */
function gatherFacts(all: Statement[]): Statement[] {
  const facts: Statement[] = [];
  for (const { text, at } of all) {
    const fact = cutText(text.trim(), LONGEST_FACT);
    if (fact !== '' && !facts.some((known) => known.text.includes(fact))) facts.push({ text: fact, at });
    if (facts.length === MOST_FACTS) break;
  }
  return facts;
}

export const cutText = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`);

export const at =
  (step: number) =>
  (text: string): Statement => ({ text, at: step });
