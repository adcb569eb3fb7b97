// Corrections are for people alone.
import { AskError } from '../../core/ask-error.ts';
import type { CorrectionParameters } from '../../core/correction.ts';

/** What a model was talked into must not change what other sessions are told. */
export function requirePerson(by: CorrectionParameters['by']): void {
  if (by === 'user') return;
  throw new AskError(
    'conflict',
    'Only a person may correct what is remembered.',
    'Ask them to run it in a terminal of their own: claude-mem pin, edit, replace, wrong or distrust. An agent can note what holds with remember, and hide with forget.',
  );
}
