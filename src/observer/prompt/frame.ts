// What a part of a batch is told of the session around it: its goal, what was asked and said before, what is recorded.

import { cleanPrompt } from '../../core/clean-prompt.ts';
import { condenseWords, oneLine } from '../condense/words.ts';
import { encodeAttribute } from '../encode.ts';
import type { PromptInput } from '../prompt.ts';
import { encodeWithin } from './encode-within.ts';

export type FrameLimits = {
  goal: number;
  prompts: number;
  prompt: number;
  previous: number;
  titles: number;
  title: number;
};

export const FULL_FRAME: FrameLimits = { goal: 800, prompts: 6, prompt: 240, previous: 1500, titles: 40, title: 110 };
export const SMALL_FRAME: FrameLimits = { goal: 300, prompts: 3, prompt: 120, previous: 500, titles: 12, title: 90 };

export function renderFrame(input: PromptInput, limits: FrameLimits): string {
  const { project, session } = input.batch;
  const title = session.title ? ` title="${encodeAttribute(oneLine(session.title, 120))}"` : '';
  return [
    `<session project="${encodeAttribute(oneLine(project.name, 80))}"${title}>`,
    element('goal', goalOf(input, limits)),
    element('earlier_prompts', earlierPrompts(input, limits)),
    element('agent_said_before', previousMessage(input, limits)),
    element('already_recorded', recordedTitles(input, limits)),
    '</session>',
  ]
    .filter(Boolean)
    .join('\n');
}

const element = (tag: string, text: string) => (text === '' ? '' : `<${tag}>\n${text}\n</${tag}>`);

/** What the session began with, unless it is one of the prompts that follow. */
function goalOf({ batch }: PromptInput, limits: FrameLimits): string {
  const first = cleanPrompt(batch.session.firstPrompt ?? '');
  const isShown = batch.events.some((event) => event.kind === 'prompt' && cleanPrompt(event.text) === first);
  return isShown ? '' : encodeWithin((max) => condenseWords(first, max), limits.goal);
}

/** The last in more words when the batch has none of its own: it may be what the agent is still at. */
function earlierPrompts({ batch, earlierPrompts: all }: PromptInput, limits: FrameLimits): string {
  const first = batch.session.firstPrompt ?? '';
  const others = all.filter((text, at) => !(at === 0 && text === first)).map(cleanPrompt);
  const shown = others.filter((text) => text !== '').slice(-limits.prompts);
  const hasOwn = batch.events.some((event) => event.kind === 'prompt');
  return shown
    .map((text, at) => {
      const chars = !hasOwn && at === shown.length - 1 ? limits.goal : limits.prompt;
      return `- ${encodeWithin((max) => oneLine(text.replace(/^[-*] /, ''), max), chars)}`;
    })
    .join('\n');
}

/** A short prompt ("yes", "the second one") means nothing without what it answers; a long one explains itself. */
function previousMessage({ batch, previousMessage: message }: PromptInput, limits: FrameLimits): string {
  const prompt = batch.events.find((event) => event.kind === 'prompt');
  if (message === null || prompt?.kind !== 'prompt') return '';
  const isAnswer = cleanPrompt(prompt.text).length < 160;
  return encodeWithin(
    (max) => condenseWords(message, max, 0.3),
    isAnswer ? limits.previous : Math.min(400, limits.previous),
  );
}

function recordedTitles({ recorded }: PromptInput, limits: FrameLimits): string {
  return recorded
    .slice(-limits.titles)
    .map((title) => `- ${encodeWithin((max) => oneLine(title, max), limits.title)}`)
    .join('\n');
}
