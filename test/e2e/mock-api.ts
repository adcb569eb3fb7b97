// A scripted Messages API on loopback: the model's place in an end-to-end test. It remembers nothing between requests.
import { describeRequest, type MessagesBody, type MockRequest } from './mock-request.ts';
import { answerStream } from './mock-stream.ts';

export type ToolCall = { name: string; input: Record<string, unknown> };

/** One answer of the model: text, tools, or both. */
export type Step = { text?: string; tools?: ToolCall[] };

/** What the model answers, one step per request, after a user message that says `[[mock:NAME]]`. */
export type Script = Step[];

export type MockApi = {
  url: string;
  /** By name; a test adds what its prompts will ask for. */
  scripts: Map<string, Script>;
  /** Every request to /v1/messages, in the order of arrival, with the body as the CLI sent it. */
  requests: MockRequest[];
  /** The requests that no script foresaw, as `script:step`: a fault of the test. */
  unforeseen: string[];
  close(): void;
};

/** Runs before a request is answered, and the CLI waits for it: the moment for a test to do harm between two steps. */
export type BeforeAnswer = (request: MockRequest) => Promise<void>;

export const COMPACT_SUMMARY = 'SUMMARY-BY-THE-MOCK: the user asked, the work was done.';

/**
 * The last user message with a marker names the script, and the number of assistant messages after it is the step. So
 * sessions at once, resumed ones and subagents need no state here.
 */
export function startMockApi(beforeAnswer?: BeforeAnswer): MockApi {
  const scripts = new Map<string, Script>();
  const requests: MockRequest[] = [];
  const unforeseen: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/v1/messages/count_tokens') return Response.json({ input_tokens: 1000 });
      if (pathname !== '/v1/messages') return new Response(`the mock has no ${pathname}`, { status: 404 });
      const logged = describeRequest((await request.json()) as MessagesBody);
      requests.push(logged);
      await beforeAnswer?.(logged);
      const step = chooseStep(logged, scripts);
      // Answered in words, so that the run ends at once.
      if (step === null) unforeseen.push(`${logged.script}:${logged.step}`);
      return answerStream(step ?? { text: 'No script foresees this.' }, logged.body.model);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return { url, scripts, requests, unforeseen, close: () => void server.stop(true) };
}

function chooseStep(request: MockRequest, scripts: Map<string, Script>): Step | null {
  if (request.isCompaction) return { text: `<summary>${COMPACT_SUMMARY}</summary>` };
  return scripts.get(request.script ?? '')?.[request.step] ?? null;
}
