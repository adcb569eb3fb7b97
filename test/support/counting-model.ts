// A model on loopback that speaks both wire formats, always answers well, and keeps what it was sent.
import { answerStream } from '../e2e/mock-stream.ts';
import { GOOD_ANSWER, say } from './fake-model.ts';

export type CountingModel = {
  url: string;
  /** The whole body of every request, in the order of arrival. */
  bodies: string[];
  close: () => void;
};

export function startCountingModel(): CountingModel {
  const bodies: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      if (pathname.endsWith('/count_tokens')) return Response.json({ input_tokens: 1000 });
      if (!pathname.endsWith('/messages') && !pathname.endsWith('/chat/completions')) return new Response('', { status: 404 });
      bodies.push(body);
      if (pathname.endsWith('/chat/completions')) return say(GOOD_ANSWER);
      const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
      return stream ? answerStream({ text: GOOD_ANSWER }, model) : answerWhole(model);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, bodies, close: () => void server.stop(true) };
}

function answerWhole(model: string): Response {
  return Response.json({
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: GOOD_ANSWER }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1000, output_tokens: 100 },
  });
}

/** Every string of a request, as the model would read it. */
export function textOf(body: string): string {
  const strings: string[] = [];
  JSON.parse(body, (_, value) => {
    if (typeof value === 'string') strings.push(value);
    return value;
  });
  return strings.join('\n').replaceAll('&lt;', '<').replaceAll('&#64;', '@').replaceAll('&amp;', '&');
}
