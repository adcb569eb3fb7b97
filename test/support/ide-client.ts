// All that an IDE extension needs of claude-mem: its documented HTTP API and the token, and nothing else.

export type IdeOptions = { baseUrl: string; token: string; cwd: string; sessionId: string };

export function createIdeClient({ baseUrl, token, cwd, sessionId }: IdeOptions) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const ask = (route: string) => fetch(baseUrl + route, { headers });
  const tell = async (route: string, body: object) => {
    const text = JSON.stringify({ sessionId, cwd, ...body });
    return (await fetch(baseUrl + route, { method: 'POST', headers, body: text })).json();
  };
  return {
    /** Markdown to put before the model; empty when there is nothing to tell. */
    activate: async () => (await ask(`/api/context/inject?cwd=${encodeURIComponent(cwd)}`)).text(),
    prompt: (prompt: string) => tell('/api/sessions/init', { prompt }),
    save: (file_path: string, old_string: string, new_string: string) =>
      tell('/api/sessions/observations', { tool_name: 'Edit', tool_input: { file_path, old_string, new_string } }),
    idle: (last_assistant_message: string) => tell('/api/sessions/summarize', { last_assistant_message }),
    isBusy: async () => ((await (await ask('/api/processing-status')).json()) as { isProcessing: boolean }).isProcessing,
    deactivate: () => tell('/api/sessions/complete', { reason: 'exit' }),
    /** Titles of what is remembered, as it is remembered: for a panel. */
    async *watch(): AsyncGenerator<string> {
      let rest = '';
      const { body } = await ask('/stream?types=observation');
      for await (const piece of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) if (block.includes('event: observation')) yield titleOf(block);
      }
    },
  };
}

const titleOf = (block: string): string => JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}').title;
