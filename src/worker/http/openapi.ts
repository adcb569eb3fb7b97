// The OpenAPI document of the routes, made from what each of them says of itself.
import { z } from 'zod';
import { describeJson, describeText, type Json } from './json-schema.ts';
import type { RouteSpec } from './route.ts';

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
  const schemas: Json = { Error: describeJson(ErrorSchema).schema };
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

const ErrorSchema = z.object({
  error: z.string().describe('What is wrong'),
  hint: z.string().describe('What to do about it'),
  candidates: z.array(z.string()).optional().describe('Which of these may be meant'),
});

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

const describePath = ({ path }: RouteSpec): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

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

const DONE: Record<number, string> = { 200: 'Done.', 201: 'Made.', 202: 'Begun.' };

function describeAnswers({ answers }: RouteSpec, schemas: Json): Json {
  const entries = Object.entries(answers).map(([status, answer]) => {
    const description = DONE[Number(status)] ?? ERRORS[Number(status)] ?? 'An answer.';
    if (typeof answer === 'string') return [status, { description, content: { [answer]: { schema: TEXT } } }];
    const { schema, named } = describeJson(answer);
    addNamed(schemas, named);
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(entries);
}

const TEXT = { type: 'string' };

function referToErrors({ access, body, answers }: RouteSpec): Json {
  const left = Object.keys(ERRORS)
    .map(Number)
    .filter((status) => !(status in answers))
    .filter((status) => access !== 'anyone' || !ONLY_WITH_TOKEN.includes(status))
    .filter((status) => body || !ONLY_WITH_BODY.includes(status));
  return Object.fromEntries(left.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}
