// An embedder of many languages behind an endpoint: questions in any of them are answered by their meaning.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createOpenAiEmbedder } from '../../src/search/embed/openai.ts';
import { createTestMemory, NOW, type TestMemory } from './test-memory.ts';

/** What such a model knows: the same thing in several languages lies in one direction. */
const THINGS = [
  ['map', 'tiles', 'offline', 'Stadtplan', 'Netz', 'Kartenkacheln', '地図'],
  ['invoice', 'rounding', 'Rechnung', 'factura', 'redondeo', '発票'],
  ['bread', 'oven', 'Brot', 'Ofen', 'パン'],
];

let memory: TestMemory;
let server: Bun.Server<undefined>;

beforeEach(async () => {
  memory = createTestMemory();
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { input } = (await request.json()) as { input: string[] }; // Our own request.
      return Response.json({ data: input.map((text, index) => ({ index, embedding: embed(text) })) });
    },
  });
});
afterEach(async () => {
  await server.stop(true);
  memory.close();
});

const embed = (text: string) => [...THINGS.map((words) => words.filter((word) => text.includes(word)).length), 0.2];

test('a question in another language finds what shares no word with it, and one about something else nothing', async () => {
  const ids = ['Kartenkacheln bleiben sieben Tage', 'Invoice rounding happens per line'].map((title) =>
    memory.shelf('/home/dev/shop', title).observe(title, NOW, {}),
  );
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const embedder = createOpenAiEmbedder({ baseUrl, model: 'bge-m3', key: null });
  await embedder.embed(['its dimension'], 'query');
  await memory.addModel(embedder).embed();
  const first = async (query: string) => (await memory.search(query)).results[0]?.id ?? null;
  expect(await first('Geht der Stadtplan auch ohne das Netz?')).toBe(ids[0] ?? '');
  expect(await first('¿Cómo es el redondeo de la factura?')).toBe(ids[1] ?? '');
  expect(await first('地図はネットなしで使える?')).toBe(ids[0] ?? '');
  expect(await first('Wie lange muss das Brot in den Ofen?')).toBeNull();
});
