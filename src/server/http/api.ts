// The HTTP API: the table of routes on one Hono app, a value that a test can call.
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { AskError, type AskErrorKind } from '../../core/ask-error.ts';
import { codeOf, isFull } from '../../core/passing-fault.ts';
import { ErrorSchema } from '../../core/shapes/fields.ts';
import type { Log } from '../../log.ts';
import { type ApiEnv, type Route, route } from './route.ts';

export type Api = { app: Hono<ApiEnv>; routes: Route[] };

type ApiDeps = {
  version: string;
  log: Log;
  before?: MiddlewareHandler<ApiEnv>;
  /** A route that may change something has answered. */
  onChange?: () => void;
};

export function createApi(table: Route[], { version, log, before, onChange }: ApiDeps): Api {
  const app = new Hono<ApiEnv>();
  const describe: Route = route(
    'GET /api/openapi.json',
    'This document: every route, what it takes and what it answers.',
    { answer: z.record(z.string(), z.unknown()) },
    () => describeApi(routes, version),
  );
  const routes: Route[] = [...table, describe].flatMap((one) => [one, ...(one.aliases ?? []).map((path) => ({ ...one, path }))]);
  const fetch = async (request: Request) => app.fetch(request, { isTrusted: true });
  if (before) app.use('*', before);
  for (const { method, path, handle } of routes) {
    app.on(method, path, async (c) => {
      const response = await handle(c, fetch);
      if (method !== 'GET') onChange?.();
      return response;
    });
  }
  app.onError((error, c) => answerError(error, c, log));
  app.notFound((c) => c.json({ error: 'There is no such route.', hint: 'docs/api.md lists them.' }, 404));
  return { app, routes };
}

const STATUS = { invalid: 400, unknown: 404, ambiguous: 409, conflict: 409 } as const satisfies Record<AskErrorKind, number>;

/** `{error, hint}`, with `candidates` where there are some. Only a fault of our own is a 500. */
function answerError(error: Error, c: Context, log: Log): Response {
  if (error instanceof AskError) {
    const { message, hint, candidates, kind } = error;
    return c.json({ error: message, hint, ...(candidates.length > 0 ? { candidates } : {}) }, STATUS[kind]);
  }
  log.error('a request could not be answered', { path: c.req.path, error: error.stack ?? String(error) });
  if (isFull(error)) return c.json({ error: 'The disk is full.', hint: 'Make room there, and ask again.' }, 500);
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error)))
    return c.json({ error: 'The memory is busy with something else.', hint: 'Try again in a moment.' }, 500);
  return c.json({ error: 'The worker failed to answer.', hint: 'See `claude-mem logs`.' }, 500);
}

// The OpenAPI document of the routes, made from what each of them declares.

type Json = { [key: string]: unknown };

/** Every route fails alike: the status says how, and the text what to do. */
const REFUSED = { $ref: '#/components/responses/Error' };
const OTHERS: Record<string, string> = { 201: 'Made.', 202: 'Begun.', 405: 'Not allowed.', 503: 'Too many are there already.' };
const TEXT = { type: 'string' };

/** What can be asked on the port; routes of the socket alone are left out. */
function describeApi(routes: Route[], version: string) {
  const schemas: Json = {};
  /** A schema with a name is referred to wherever it stands. */
  const refer = (schema: z.core.$ZodType): Json => {
    const { schema: described, named } = describeJson(schema);
    for (const [name, one] of Object.entries(named)) {
      if (!Bun.deepEquals(schemas[name] ?? one, one)) throw new Error(`Two schemas are called ${name}.`);
      schemas[name] = one;
    }
    return described;
  };
  const paths: Record<string, Record<string, ReturnType<typeof describeRoute>>> = {};
  for (const route of routes) {
    if (route.access === 'socket') continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, refer) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'claude-mem', version, description: 'The memory of coding agents, on the machine they work on.' },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      responses: { Error: { description: 'Why not.', content: { 'application/json': { schema: refer(ErrorSchema) } } } },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

type Refer = (schema: z.core.$ZodType) => Json;

function describeRoute(route: Route, refer: Refer) {
  const { method, path, about, access, body, isLoose } = route;
  const words = path.split(/\W+|_/).filter(Boolean);
  const schema = body && refer(isLoose ? z.object(body) : z.strictObject(body));
  return {
    operationId: [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(''),
    summary: about,
    tags: [words.find((word) => word !== 'api') ?? 'worker'],
    parameters: describeParameters(route),
    ...(schema ? { requestBody: { required: true, content: { 'application/json': { schema } } } } : {}),
    responses: { ...describeAnswers(route, refer), default: REFUSED } as Json,
    ...(access === 'anyone' ? { security: [] } : {}),
  };
}

function describeParameters({ path, parts = {}, query = {} }: Route): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    ...(parts[name] ? { description: parts[name] } : {}),
    required: true,
    schema: TEXT,
  }));
  const inQuery = Object.entries(query).map(([name, value]) => {
    // Written as text, it is described as what it is read as: a number is a number, a list has commas.
    const { description, ...schema } = describeJson(value, 'output').schema;
    const isList = schema.type === 'array';
    return {
      name,
      in: 'query',
      ...(description === undefined ? {} : { description }),
      required: !z.safeParse(value, undefined).success,
      schema,
      ...(isList ? { style: 'form', explode: false } : {}),
    };
  });
  return [...inPath, ...inQuery];
}

function describeAnswers({ about, answers, messages }: Route, refer: Refer): Json {
  const entries = Object.entries(answers).map(([status, answer]) => {
    const description = status === '200' ? about : (OTHERS[status] ?? 'Why not.');
    if (typeof answer !== 'string') return [status, { description, content: { 'application/json': { schema: refer(answer) } } }];
    // A stream is a text without end; the messages in it are among the schemas.
    const ofEach = messages && {
      description: `Server-sent events. Of each, event and data are the type and data of ${refer(messages).$ref}`,
    };
    return [status, { description, content: { [answer]: { schema: { ...TEXT, ...ofEach } } } }];
  });
  return Object.fromEntries(entries);
}

/** `z.int()` says where whole numbers end; nobody asked. */
const isBoundary = (value: unknown) => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;

/** What is sent or answered as JSON, and the schemas with a name that it refers to. */
function describeJson(schema: z.core.$ZodType, io: 'input' | 'output' = 'input'): { schema: Json; named: Json } {
  // Around it, so that a schema with a name is referred to wherever it stands.
  const around = z.toJSONSchema(z.object({ it: schema }), {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
      if (isBoundary(jsonSchema.minimum)) delete jsonSchema.minimum;
      if (isBoundary(jsonSchema.maximum)) delete jsonSchema.maximum;
    },
  });
  const text = JSON.stringify({ schema: around.properties?.it, named: around.$defs ?? {} });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}
