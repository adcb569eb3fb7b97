// The provider for Anthropic's Messages API with a key.
import { z } from 'zod';
import { type Answer, type AskModel, checkAnswer, ModelError, type Question } from './contract.ts';
import { type HttpSettings, MessagesUsage, postQuestion } from './http.ts';

const API_VERSION = '2026-10-21';

export function createAnthropic(settings: HttpSettings): AskModel {
  return async (question) => {
    const body = () => requestBody(question, settings.model);
    const request = { path: '/v1/messages', headers: { 'anthropic-version': API_VERSION }, body };
    return readAnswer(await postQuestion(settings, question, request));
  };
}

function requestBody({ instructions, prompt, maxOutputTokens }: Question, model: string): object {
  return {
    model,
    max_tokens: maxOutputTokens,
    system: [{ type: 'text', text: instructions, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: prompt }],
    thinking: { type: 'disabled' },
  };
}

function readAnswer(body: unknown): Answer {
  const parsed = Message.safeParse(body);
  if (!parsed.success) throw new ModelError('transient', 'The server answered with JSON that is no message.');
  const { content, stop_reason, usage } = parsed.data;
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const isCutOff = stop_reason === 'max_tokens' || stop_reason === 'model_context_window_exceeded';
  return checkAnswer({ text, isCutOff, usage }, stop_reason ?? 'no reason given');
}

const Message = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().catch('') })),
  stop_reason: z.string().nullable(),
  usage: MessagesUsage,
});
