// The provider for Anthropic's Messages API with a key.
import type { ClientOptions } from '@anthropic-ai/sdk';
import { z } from 'zod';
import { checkAnswer } from './check-answer.ts';
import { startDeadline } from './deadline.ts';
import { type BoundKey, checkEndpoint } from './endpoint.ts';
import { exchangeJson, type Fetch } from './exchange.ts';
import { MessagesUsage } from './messages-usage.ts';
import type { Answer, AskModel, Question } from './model.ts';
import { ModelError } from './model-error.ts';

export type AnthropicSettings = { model: string; baseUrl: string; key: BoundKey | null; fetch?: Fetch };

/** The version whose answers are read here. */
const API_VERSION = '2026-10-21';
/** The SDK's own timer must never come first: it does not cover the body. */
const SDK_SLACK_MS = 60_000;

export function createAnthropic(settings: AnthropicSettings): AskModel {
  const { model, baseUrl, key, fetch = globalThis.fetch } = settings;
  return async (question) => {
    const endpoint = checkEndpoint({ baseUrl, key });
    const deadline = startDeadline(question);
    const wire = createWire({ keyValue: key?.value ?? null, signal: deadline.signal, fetch });
    try {
      // Loaded at the first question: most workers never ask this provider.
      const { Anthropic } = await import('./anthropic-sdk.ts');
      const client = new Anthropic({ ...clientOptions(endpoint), fetch: wire.fetch });
      const timeout = question.deadlineMs + SDK_SLACK_MS;
      return readAnswer(await client.messages.create(requestBody(question, model), { timeout }));
    } catch (cause) {
      throw wire.failure() ?? asModelError(cause);
    } finally {
      deadline.close();
    }
  };
}

/** Whatever is left out here the SDK takes from ANTHROPIC_* variables and from profile files in the HOME. */
function clientOptions(baseURL: string): ClientOptions {
  return {
    baseURL,
    // Only to keep it from looking for one: the header with the key is written below.
    apiKey: 'unused',
    authToken: null,
    webhookKey: null,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  };
}

/**
 * The fetch for one call of the SDK. The headers are written here, all of them: the SDK would add those it finds in
 * ANTHROPIC_CUSTOM_HEADERS. It wraps what its fetch throws, so the failure is kept beside.
 */
function createWire({ keyValue, signal, fetch }: { keyValue: string | null; signal: AbortSignal; fetch: Fetch }) {
  let failure: unknown = null;
  return {
    failure: () => failure,
    fetch: async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const exchange = { url: String(url), headers: headersFor(keyValue), body: String(init?.body), keyValue };
      try {
        return Response.json(await exchangeJson({ ...exchange, signal, fetch }));
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  };
}

function headersFor(keyValue: string | null): Record<string, string> {
  const type = 'application/json';
  const headers = { accept: type, 'content-type': type, 'anthropic-version': API_VERSION };
  return keyValue === null ? headers : { ...headers, authorization: `Bearer ${keyValue}` };
}

function requestBody({ instructions, prompt, maxOutputTokens }: Question, model: string) {
  return {
    model,
    max_tokens: maxOutputTokens,
    system: [{ type: 'text' as const, text: instructions, cache_control: { type: 'ephemeral' as const } }],
    messages: [{ role: 'user' as const, content: prompt }],
    thinking: { type: 'disabled' as const },
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

function asModelError(cause: unknown): ModelError {
  if (cause instanceof ModelError) return cause;
  return new ModelError('unrecoverable', `The request could not be made: ${String(cause)}`, { cause });
}

const Message = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().catch('') })),
  stop_reason: z.string().nullable(),
  usage: MessagesUsage,
});
