// The engine behind an /embeddings endpoint, against a real server on this machine.
import { afterEach, describe, expect, test } from 'bun:test';
import { createOpenAiEmbedder } from '../../../src/search/embed/openai.ts';
import { describeEmbedder } from './embedder-contract.ts';

type Body = { model: string; input: string[] };
type Handler = (body: Body, request: globalThis.Request) => Response | Promise<Response>;

const servers: Bun.Server<undefined>[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

function serve(handle: Handler = answer): string {
  const fetch = async (request: globalThis.Request) => handle((await request.json()) as Body, request); // Our own request.
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
  servers.push(server);
  return `http://127.0.0.1:${server.port}/v1`;
}

/** Backwards, as some servers do; each vector tells its text. */
function answer({ input }: Body): Response {
  const data = input.map((text, index) => ({ index, embedding: [text.length, text.charCodeAt(0), -1] }));
  return Response.json({ data: data.reverse() });
}

type Settings = Partial<Parameters<typeof createOpenAiEmbedder>[0]>;
const create = (baseUrl: string, more: Settings = {}) => createOpenAiEmbedder({ baseUrl, model: 'nomic', key: null, ...more });

const outcomeOf = (run: () => Promise<unknown>) =>
  run().then(
    () => 'done',
    (error) => `${error.kind}: ${error.message}`,
  );

describe('as an embedder', () => {
  describeEmbedder(() => create(serve()));
});

test('is named for its model and host, and learns its dimension', async () => {
  const baseUrl = serve();
  const embedder = create(baseUrl);
  expect(embedder.id).toBe(`openai:nomic@${new URL(baseUrl).host}`);
  expect(embedder.dimension).toBe(0);
  await embedder.embed(['abc'], 'query');
  expect(embedder.dimension).toBe(3);
});

test('sends the key, the model and at most 64 texts at once, none of them empty', async () => {
  const sizes: number[] = [];
  const baseUrl = serve((body, request) => {
    sizes.push(body.input.length);
    expect(request.headers.get('authorization')).toBe('Bearer secret');
    expect(new URL(request.url).pathname).toBe('/v1/embeddings');
    expect(body.model).toBe('nomic');
    expect(body.input).not.toContain('');
    return answer(body);
  });
  const embedder = create(`${baseUrl}/`, { key: { value: 'secret', host: new URL(baseUrl).host } });
  const texts = Array.from({ length: 150 }, (_, i) => (i % 50 === 0 ? '' : `text ${i}`));
  expect(await embedder.embed(texts, 'document')).toHaveLength(150);
  expect(sizes).toEqual([64, 64, 19]);
});

const refused: [string, Settings, RegExp][] = [
  ['http to another machine', { baseUrl: 'http://example.com/v1' }, /must begin with https/],
  ['a password in the address', { baseUrl: 'https://u:p@example.com/v1' }, /has a user or password/],
  ['another machine without a key', { baseUrl: 'https://example.com/v1' }, /example.com needs a key/],
  [
    'a key of another host',
    { baseUrl: 'https://example.com/v1', key: { value: 'k', host: 'other.com' } },
    /set for other.com and is not sent to example.com/,
  ],
];

test.each(refused)('refuses %s', (_, settings, message) => {
  expect(() => create('', settings)).toThrow(message);
});

const failures: [string, Handler, RegExp][] = [
  ['a wrong key', () => Response.json({ error: 'no' }, { status: 401 }), /settings: .* answered 401 .* Set the key again/],
  ['an unknown model', () => new Response('no', { status: 404 }), /settings: .* has no model nomic .* pull the model/],
  ['a busy server', () => new Response('', { status: 503 }), /transient: .* answered 503\. It is tried again later/],
  ['a chat model', () => new Response('', { status: 400 }), /bad-answer: .* Is nomic an embedding model/],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/'), /settings: .* answered 302.* Redirects are not followed/],
  ['a page', () => new Response('<html>'), /bad-answer: .* not with one vector of .* for each text/],
  ['too few vectors', () => Response.json({ data: [] }), /bad-answer: .* not with one vector of .* for each text/],
  [
    'vectors of two lengths',
    ({ input }) => Response.json({ data: input.map((_, i) => ({ embedding: Array(i + 1).fill(1) })) }),
    /bad-answer: .* not with one vector of .* for each text/,
  ],
];

test.each(failures)('tells what to do about %s', async (_, handle, message) => {
  const embedder = create(serve(handle));
  expect(await outcomeOf(() => embedder.embed(['a', 'b'], 'document'))).toMatch(message);
});

test('never repeats the key that a server sends back', async () => {
  const baseUrl = serve(() => new Response('wrong key: hunter2hunter2', { status: 401 }));
  const embedder = create(baseUrl, { key: { value: 'hunter2hunter2', host: new URL(baseUrl).host } });
  expect(await outcomeOf(() => embedder.embed(['a'], 'query'))).toContain('wrong key: [key]');
});

test('gives up when no answer comes in time', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const embedder = create(
    serve(() => promise),
    { timeoutMs: 50 },
  );
  expect(await outcomeOf(() => embedder.embed(['a'], 'query'))).toMatch(/transient: .* gave no vectors in time/);
  resolve(new Response());
});

test('says that nobody listens', async () => {
  const embedder = create('http://127.0.0.1:1/v1');
  expect(await outcomeOf(() => embedder.embed(['a'], 'query'))).toMatch(/transient: 127.0.0.1:1 cannot be reached/);
});

test('close ends what is on its way', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const embedder = create(serve(() => promise));
  const running = outcomeOf(() => embedder.embed(['a'], 'query'));
  await embedder.close();
  expect(await running).toBe('closed: The embedder was closed.');
  expect(await outcomeOf(() => embedder.embed(['a'], 'query'))).toBe('closed: The embedder is closed.');
  resolve(new Response());
});
