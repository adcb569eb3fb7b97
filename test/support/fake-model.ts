// A model on loopback that speaks the OpenAI protocol and misbehaves as told. It counts what it was asked.

export type Reply = (ask: { prompt: string; nth: number }) => Response | Promise<Response>;

export type FakeModel = {
  baseUrl: string;
  /** The user's part of every request, in the order of arrival. */
  prompts: string[];
  instructions: string[];
  /** What it charged in all. */
  billed: () => number;
  reply: Reply;
  close: () => void;
};

export function startFakeModel(reply: Reply): FakeModel {
  let billed = 0;
  const model: FakeModel = { baseUrl: '', prompts: [], instructions: [], billed: () => billed, reply, close: () => undefined };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as { messages: { role: string; content: string }[] };
      const said = (role: string) => body.messages.find((message) => message.role === role)?.content ?? '';
      model.prompts.push(said('user'));
      model.instructions.push(said('system'));
      const response = await model.reply({ prompt: said('user'), nth: model.prompts.length });
      billed += Number(response.headers.get('x-billed') ?? 0);
      return response;
    },
  });
  model.baseUrl = `http://127.0.0.1:${server.port}/v1`;
  model.close = () => void server.stop(true);
  return model;
}

export const GOOD_ANSWER = `<observation><type>feature</type><title>Deepened by the model</title><narrative>The cache is kept for a minute.</narrative>
<facts><fact>TTL is 60 s</fact></facts><sources>1</sources></observation>
<summary><request>Cache it</request><completed>The cache is there.</completed></summary><session><title>Caching</title><subtitle>A minute</subtitle></session>`;

export function say(content: string | null, tokens = { input: 1000, output: 100 }, more: object = {}): Response {
  const body = {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, ...more } }],
    usage: { prompt_tokens: tokens.input, completion_tokens: tokens.output, total_tokens: tokens.input + tokens.output },
  };
  return Response.json(body, { headers: { 'x-billed': String(tokens.input + tokens.output) } });
}

export const fail = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ error: { message: `fake ${status}`, type: 'fake' } }, { status, headers });

/** Never answers; ends with the server. */
export const hang = (): Promise<Response> => new Promise(() => undefined);

/** A byte now and then, for ever. */
export function drip(): Response {
  let timer: Timer;
  const stream = new ReadableStream({
    start: (controller) => {
      timer = setInterval(() => controller.enqueue(' '), 50);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(stream, { headers: { 'content-type': 'application/json' } });
}

/** Says how long it will be, and ends before. */
export const truncate = (): Response =>
  new Response('{"choices":[{"message":{"content":"<observation><title>Half', { headers: { 'content-type': 'application/json' } });
