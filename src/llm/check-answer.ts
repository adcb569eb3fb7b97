// What every answer must be before it leaves a provider: some text, and not a flood of it.
import { type Answer, MAX_ANSWER_CHARS } from './model.ts';
import { ModelError } from './model-error.ts';

export function checkAnswer(answer: Answer, stopReason: string): Answer {
  const { text, usage } = answer;
  if (text.trim() === '') throw new ModelError('bad-answer', `The answer has no text (${stopReason}).`, { usage });
  if (text.length > MAX_ANSWER_CHARS) {
    throw new ModelError('bad-answer', `The answer has ${text.length} characters, far too many.`, { usage });
  }
  return answer;
}
