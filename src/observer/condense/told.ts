// What is told of a tool use, before it is known how much room there is.
import type { Action } from '../../core/event.ts';

export type Told = {
  /** One line that says what was done, and to what. */
  headline: string;
  /** The rest, in at most so many characters; '' when there is none. */
  body: (maxChars: number) => string;
};

export type Where = { root: string; cwd: string };

export type Of<T extends Action['type']> = Extract<Action, { type: T }>;

export const joined = (parts: string[]) => parts.filter(Boolean).join('\n');
