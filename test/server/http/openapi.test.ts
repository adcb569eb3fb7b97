// The OpenAPI document: every route that the web can ask is in it, and everything it refers to is there.
import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { type Route, route } from '../../../src/server/http/route.ts';
import { listAllRoutes, type Operation, readOpenApi } from '../../support/all-routes.ts';
import { createTestApi } from '../../support/test-api.ts';

type Json = { [key: string]: unknown };

const routes = listAllRoutes();
const document = await readOpenApi();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const answers = { 200: z.object({ it: z.string() }) };
const handle = async () => new Response();
const describeOne = async (more: Partial<Route>): Promise<Operation> => {
  const { paths } = await readOpenApi([{ method: 'GET', path: '/api/it', about: 'It.', answers, handle, ...more }]);
  const [operation] = Object.values(paths['/api/it'] ?? {});
  return operation ?? expect.unreachable();
};

describe('the OpenAPI document', () => {
  test('has every route that is not of the socket alone', () => {
    const said = routes.filter(({ access }) => access !== 'socket').map(({ method, path }) => `${method} ${path}`);
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
    expect(said.length).toBeGreaterThan(30);
    expect(described.sort()).toEqual(said.sort());
    expect(document).toMatchObject({ openapi: '3.1.1', info: { version: '1.2.3' } });
  });

  test('names every operation once and says what it is for', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) expect(operation.summary).toMatch(/^[A-Z].+\.$/);
  });

  test('has no two paths that differ in the names of their parameters alone', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  test('declares the parameters of every path, and each parameter once', () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((one) => one.in === 'path');
      expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      for (const one of inPath) expect(one).toMatchObject({ required: true, schema: { type: 'string' } });
      const names = operation.parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('says of every parameter and of every field of a body what it is', () => {
    const silent = operations.flatMap(({ path, method, operation: { parameters, requestBody } }) => {
      const body = ['content', 'application/json', 'schema', 'properties'].reduce<unknown>(enter, requestBody) ?? {};
      const fields = Object.entries(body as Record<string, Json>).map(([name, field]) => ({ ...field, name }));
      const said: Json[] = [...parameters, ...fields];
      return said.filter((one) => !one.description).map(({ name }) => `${method} ${path}: ${name}`);
    });
    expect(silent).toEqual([]);
  });

  test('has the messages of the stream, and that there can be too many streams', () => {
    const { responses } = document.paths['/stream']?.get ?? expect.unreachable();
    expect(responses['200']).toMatchObject({
      content: { 'text/event-stream': { schema: { description: expect.stringContaining('StreamMessage') } } },
    });
    expect(responses['503']).toMatchObject({ content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } });
    expect(document.components.schemas).toContainKeys(['StreamMessage', 'StreamedEvent', 'StreamedSession']);
  });

  test('refers only to what is in it', () => {
    const refs = new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref ?? ''));
    expect(refs).toContain('#/components/schemas/MemoryRow');
    expect(refs).toContain('#/components/responses/Error');
    for (const ref of refs) {
      const target = ref.slice(2).split('/').reduce<unknown>(enter, document);
      expect(ref).toStartWith('#/');
      expect(target).toBeObject();
    }
  });

  test('is JSON Schema throughout: nothing that only our own schemas know', () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('$defs');
    expect(text).not.toContain('"$schema"');
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
    for (const { operation } of operations) {
      expect(Object.keys(operation.responses)).toContainAnyValues(['200', '201', '202', '204', '405']);
    }
  });
});

const enter = (inside: unknown, name: string): unknown => (inside as Json | undefined)?.[name];

describe('a route', () => {
  test('that anyone may call needs no token', async () => {
    expect((await describeOne({ access: 'anyone' })).security).toEqual([]);
    expect((await describeOne({})).security).toBeUndefined();
  });

  test('takes numbers, flags and lists as such, each with its default', async () => {
    const shape = routes.find(({ path }) => path === '/api/search')?.query ?? {};
    const { parameters } = await describeOne({ query: shape });
    const parameter = (name: string) => parameters.find((one) => one.name === name);
    expect(parameter('type')).toMatchObject({ required: false, explode: false, schema: { type: 'array' } });
    expect(JSON.stringify(parameter('type'))).toContain('"bugfix"');
    const limit = { type: 'integer', minimum: 1, maximum: 200, default: 10 };
    expect(parameter('limit')).toMatchObject({ required: false, schema: limit, description: expect.any(String) });
    expect(parameter('why')).toMatchObject({ schema: { type: 'boolean', default: false } });
    expect(parameter('cwd')).toMatchObject({ description: expect.stringContaining('folder') });
    expect((await describeOne({ query: { path: z.string() } })).parameters).toMatchObject([{ required: true }]);
  });

  test('takes a body of the fields it knows, unless it is another program that writes it', async () => {
    const body = { text: z.string(), by: z.enum(['user', 'agent']).default('agent'), n: z.number().transform(String) };
    const schemaOf = ({ requestBody }: Operation) => ['content', 'application/json', 'schema'].reduce<unknown>(enter, requestBody);
    expect(schemaOf(await describeOne({ method: 'POST', body }))).toEqual({
      type: 'object',
      properties: { text: { type: 'string' }, by: { type: 'string', enum: ['user', 'agent'], default: 'agent' }, n: { type: 'number' } },
      required: ['text', 'n'],
      additionalProperties: false,
    });
    expect(schemaOf(await describeOne({ method: 'POST', body, isLoose: true }))).not.toHaveProperty('additionalProperties');
    expect((await describeOne({})).requestBody).toBeUndefined();
  });

  test('cannot give another schema a name that is taken', async () => {
    const named = (schema: z.ZodType) => z.object({ it: schema.meta({ id: 'Taken' }) });
    const at = (path: `/${string}`, schema: z.ZodType) => route(`GET ${path}`, 'It.', { answer: named(schema) }, handle);
    const both = [at('/one', z.object({ a: z.string() })), at('/two', z.object({ b: z.string() }))];
    const { api, problems } = createTestApi(both);
    expect((await api.app.request('/api/openapi.json', {}, { isTrusted: true })).status).toBe(500);
    expect(problems.join()).toContain('Taken');
  });
});

test('GET /api/openapi.json answers with the document of all routes, old names among them', async () => {
  const later = route('PUT /api/later/:id', 'Later.', { aliases: ['/before/:id'], answer: answers[200] }, () => ({ it: 'is' }));
  const { call } = createTestApi([later]);
  const { status, body } = await call('GET', '/api/openapi.json');
  expect([status, Object.keys(body.paths)]).toEqual([200, ['/api/later/{id}', '/before/{id}', '/api/openapi.json']]);
  for (const path of ['/api/later/7', '/before/7']) expect(await call('PUT', path)).toEqual({ status: 200, body: { it: 'is' } });
});
