// The provider for every server that speaks OpenAI's chat completions: OpenAI, OpenRouter, Gemini, Ollama and others.
import { z } from 'zod';
import type { Usage } from '../../core/models.ts';
import { type Answer, type AskModel, checkAnswer, estimateUsage, ModelError, type Question } from './contract.ts';
import { errorOfRefusal, type HttpSettings, postQuestion } from './http.ts';

export function createOpenAi(settings: HttpSettings): AskModel {
  return async (question) => {
    const body = (host: string) => requestBody(question, settings.model, host);
    const answer = await postQuestion(settings, question, { path: '/chat/completions', body });
    return readAnswer(answer, question, settings.key?.value ?? null);
  };
}

/** No temperature: some models refuse every value but their own. */
function requestBody({ instructions, prompt, maxOutputTokens }: Question, model: string, host: string): object {
  const messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: prompt },
  ];
  // Everyone understands max_tokens, but OpenAI's own newer models refuse it; the name they want is known to few others.
  const limit = host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
  return { model, messages, [limit]: maxOutputTokens, stream: false };
}

function readAnswer(body: unknown, question: Question, keyValue: string | null): Answer {
  const failed = FailedInside.safeParse(body);
  if (failed.success) {
    const status = failed.data.error.code;
    throw errorOfRefusal({ status, headers: new Headers(), body: JSON.stringify(body), keyValue, now: Date.now() });
  }
  const parsed = Completion.safeParse(body);
  if (!parsed.success) throw new ModelError('transient', 'The server answered with JSON that is no chat completion.');
  const [choice] = parsed.data.choices;
  const text = choice?.message.content ?? '';
  const stopReason = choice?.finish_reason ?? 'no reason given';
  // Some local servers count nothing.
  const usage = readUsage(parsed.data.usage) ?? estimateUsage(question, text);
  return checkAnswer({ text, isCutOff: stopReason === 'length', usage }, stopReason);
}

function readUsage(usage: z.infer<typeof BilledUsage>): Usage | null {
  if (!usage) return null;
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const inputTokens = Math.max(0, usage.prompt_tokens - cachedTokens);
  return { inputTokens, cachedTokens, outputTokens: usage.completion_tokens };
}

/** Some routers pass the failure of the server behind them in an answer 200. */
const FailedInside = z.object({ error: z.object({ code: z.number().int().min(400).max(599) }) });

const BilledUsage = z
  .object({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
  })
  .nullish()
  .catch(null);

const TextParts = z
  .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
  .transform((parts) => parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join(''));

const Completion = z.object({
  choices: z.array(
    z.object({
      message: z.object({ content: z.union([z.string(), TextParts]).nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: BilledUsage,
});
