// The OpenAPI document of the routes, made from what each of them says of itself.
import { z } from 'zod';
import { describeJson, describeText, type Json } from './json-schema.ts';
import type { RouteSpec } from './route.ts';
import { ErrorSchema } from './schemas/error.ts';

export type OpenApi = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Json[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json; responses: Json; securitySchemes: Json };
};

export type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: Json[];
  requestBody?: Json;
  responses: Json;
  security?: Json[];
};

/** What the web can ask; routes of the socket alone are left out. */
export function describeApi(routes: RouteSpec[], version: string): OpenApi {
  const schemas: Json = describeJson(ErrorSchema).named;
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    if (route.access === 'socket') continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'claude-mem', version, description: 'The memory of coding agents, on the machine they work on.' },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      responses: describeErrors(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const ERRORS: Record<number, string> = {
  400: 'It cannot be understood.',
  401: 'The token is missing or wrong.',
  403: 'Not from there.',
  404: 'It is not there.',
  409: 'It contradicts itself or what is there, or several things have that name.',
  413: 'The body is too large.',
  415: 'The body is not declared as JSON.',
  500: 'The worker failed.',
};
const ONLY_WITH_TOKEN = [401, 403];
const ONLY_WITH_BODY = [413, 415];

const describeErrors = (): Json =>
  Object.fromEntries(
    Object.entries(ERRORS).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    ]),
  );

function describeRoute(route: RouteSpec, schemas: Json): Operation {
  const words = route.path.split(/\W+|_/).filter(Boolean);
  return {
    operationId: [route.method.toLowerCase(), ...words.map(capitalise)].join(''),
    summary: route.about,
    tags: [words.find((word) => word !== 'api') ?? 'worker'],
    parameters: [...describePath(route), ...describeQuery(route)],
    ...(route.body ? { requestBody: describeBody(route, schemas) } : {}),
    responses: { ...describeAnswers(route, schemas), ...referToErrors(route) },
    ...(route.access === 'anyone' ? { security: [] } : {}),
  };
}

const capitalise = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const describePath = ({ path, parts = {} }: RouteSpec): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const description = parts[name];
    return { name, in: 'path', ...(description ? { description } : {}), required: true, schema: TEXT };
  });

const describeQuery = ({ query = {} }: RouteSpec): Json[] =>
  Object.entries(query).map(([name, value]) => {
    const { description, ...schema } = describeText(value);
    return {
      name,
      in: 'query',
      ...(description === undefined ? {} : { description }),
      required: !z.safeParse(value, undefined).success,
      schema,
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    };
  });

function describeBody({ body = {}, isLoose }: RouteSpec, schemas: Json): Json {
  const { schema, named } = describeJson(isLoose ? z.object(body) : z.strictObject(body));
  addNamed(schemas, named);
  return { required: true, content: { 'application/json': { schema } } };
}

function addNamed(schemas: Json, named: Json): void {
  for (const [name, schema] of Object.entries(named)) {
    const known = schemas[name] ?? schema;
    if (!Bun.deepEquals(known, schema)) throw new Error(`Two schemas are called ${name}.`);
    schemas[name] = schema;
  }
}

const OTHERS: Record<number, string> = { 201: 'Made.', 202: 'Begun.', 503: 'Too many are there already.' };

function describeAnswers({ about, answers, messages }: RouteSpec, schemas: Json): Json {
  const entries = Object.entries(answers).map(([status, answer]) => {
    const description = status === '200' ? about : (OTHERS[Number(status)] ?? ERRORS[Number(status)] ?? 'An answer.');
    if (typeof answer === 'string') {
      const schema = messages ? describeMessages(messages, schemas) : TEXT;
      return [status, { description, content: { [answer]: { schema } } }];
    }
    const { schema, named } = describeJson(answer);
    addNamed(schemas, named);
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(entries);
}

const TEXT = { type: 'string' };

/** A stream is a text without end; the messages in it are among the schemas. */
function describeMessages(messages: z.ZodType, schemas: Json): Json {
  const { schema, named } = describeJson(messages);
  addNamed(schemas, named);
  return {
    ...TEXT,
    description: `Server-sent events. Of each, event and data are the type and data of ${schema.$ref}`,
  };
}

function referToErrors({ access, body, answers }: RouteSpec): Json {
  const left = Object.keys(ERRORS)
    .map(Number)
    .filter((status) => !(status in answers))
    .filter((status) => access !== 'anyone' || !ONLY_WITH_TOKEN.includes(status))
    .filter((status) => body || !ONLY_WITH_BODY.includes(status));
  return Object.fromEntries(left.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}
