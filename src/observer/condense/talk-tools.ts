// Tools by which an agent talks: to its user, to its subagents, to itself.
import { joined, type Of, type Told } from './told.ts';
import { condenseWords, oneLine } from './words.ts';

export function tellQuestion({ answers }: Of<'question'>): Told {
  const lines = answers.map(({ question, answer, options }) =>
    [
      `asked: ${question}`,
      options.length > 0 ? `offered: ${options.join(' | ')}` : '',
      `user: ${answer || '(no answer)'}`,
    ]
      .filter(Boolean)
      .join('\n'),
  );
  return { headline: 'the user was asked', body: (maxChars) => condenseWords(lines.join('\n'), maxChars, 0.5) };
}

export function tellAgent({ description, prompt, result }: Of<'agent'>): Told {
  return {
    headline: `subagent: ${oneLine(description, 200)}`,
    body: (maxChars) =>
      joined([
        prompt ? `told to: ${oneLine(prompt, Math.min(400, Math.floor(maxChars / 4)))}` : '',
        result ? `reported: ${condenseWords(result, Math.floor(maxChars * 0.7) - 20)}` : '',
      ]),
  };
}

export function tellTodos({ items }: Of<'todos'>): Told {
  const done = items.filter(({ status }) => status === 'completed').length;
  return {
    headline: `todo list, ${done} of ${items.length} done`,
    body: (maxChars) =>
      condenseWords(items.map(({ text, status }) => `[${status}] ${oneLine(text, 200)}`).join('\n'), maxChars, 0.3),
  };
}
