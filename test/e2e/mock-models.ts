// The models of Codex and of Gemini CLI on loopback: each uses one command, that of Codex a patch, too, then says what it was told to say.

export type MockModels = {
  url: string;
  /** What each says in the end. */
  sayings: { codex: string; gemini: string };
  /** All that the models were told, in the order of the requests. */
  told: string[];
  close(): void;
};

type Body = { input?: { type: string }[]; tools?: { name?: string }[]; contents?: unknown };

export function startMockModels(): MockModels {
  const sayings = { codex: '', gemini: '' };
  const told: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== 'POST') return new Response('', { status: 404 });
      const body = (await request.json()) as Body; // Written by the agents; read leniently below.
      if (pathname.endsWith('/responses')) {
        told.push(JSON.stringify(body.input));
        return stream(answerCodex(body, sayings.codex));
      }
      if (!pathname.includes('enerateContent')) return new Response(`the mock has no ${pathname}`, { status: 404 });
      told.push(JSON.stringify(body.contents));
      const answer = answerGemini(body, sayings.gemini);
      return pathname.includes(':stream') ? stream([answer]) : Response.json(answer);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, sayings, told, close: () => void server.stop(true) };
}

/** Of a file that begins so; as often as one likes. */
const PATCH = '*** Begin Patch\n*** Update File: cart.ts\n@@\n DAYS = 1\n+HOURS = 2\n*** End Patch';

function answerCodex({ input = [], tools = [] }: Body, saying: string): object[] {
  const done = input.filter(({ type }) => type.endsWith('_call_output')).length;
  const isOld = tools.some(({ name }) => name === 'shell');
  const run = isOld ? { command: ['bash', '-lc', 'echo seen-by-codex'] } : { cmd: 'echo seen-by-codex' };
  const use = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: isOld ? 'shell' : 'exec_command',
    arguments: JSON.stringify(run),
  };
  const patch = { type: 'custom_tool_call', id: 'c1', call_id: 'call_2', name: 'apply_patch', input: PATCH };
  const say = { type: 'message', id: 'm1', role: 'assistant', content: [{ type: 'output_text', text: saying }] };
  const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
  return [
    { type: 'response.created', response: { id: 'r1' } },
    { type: 'response.output_item.done', item: [use, patch][done] ?? say },
    { type: 'response.completed', response: { id: 'r1', usage } },
  ];
}

function answerGemini({ contents }: Body, saying: string): object {
  const isDone = JSON.stringify(contents).includes('functionResponse');
  const use = { functionCall: { name: 'run_shell_command', args: { command: 'echo seen-by-gemini', description: 'Look' } } };
  const parts = [isDone ? { text: saying } : use];
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }], usageMetadata };
}

function stream(events: object[]): Response {
  const lines = events.map((event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
}
