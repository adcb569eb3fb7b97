// All that an IDE extension needs of claude-mem: its documented HTTP API, and nothing else.

export type IdeOptions = {
  /** `http://127.0.0.1:37777`; by the socket any name does. */
  baseUrl: string;
  token?: string;
  unix?: string;
  /** The folder that is open, and the id of this window's session. */
  cwd: string;
  sessionId: string;
};

export function createIdeClient({ baseUrl, token, unix, cwd, sessionId }: IdeOptions) {
  const ask = (route: string, body?: object) =>
    fetch(`${baseUrl}${route}`, {
      ...(unix && { unix }),
      ...(body && { method: 'POST', body: JSON.stringify({ sessionId, cwd, ...body }) }),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      // Nobody waits for memory.
      signal: AbortSignal.timeout(2000),
    });
  const tell = async (route: string, body: object) => (await ask(route, body)).json();
  return {
    /** Markdown to put before the model; empty when there is nothing to tell. */
    activate: async () => (await ask(`/api/context/inject?cwd=${encodeURIComponent(cwd)}`)).text(),
    prompt: (prompt: string) => tell('/api/sessions/init', { prompt }),
    save: (file: string, before: string, after: string) =>
      tell('/api/sessions/observations', {
        tool_name: 'Edit',
        tool_input: { file_path: file, old_string: before, new_string: after },
        tool_response: 'saved',
      }),
    idle: (last_assistant_message: string) => tell('/api/sessions/summarize', { last_assistant_message }),
    isBusy: async () =>
      ((await (await ask('/api/processing-status')).json()) as { isProcessing: boolean }).isProcessing,
    deactivate: () => tell('/api/sessions/complete', { reason: 'exit' }),
  };
}
