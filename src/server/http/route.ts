// A route is declared once: who may call it, what it takes, what it answers. Serving, validation and the OpenAPI document come from this.
import type { Context } from 'hono';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { createShrinker } from '../../core/shrink-json.ts';

/** token: on the port with the token (the default). anyone: also without. socket: never on the port, which any web page can try. */
export type Access = 'token' | 'anyone' | 'socket';

export type ApiEnv = {
  /** Of an agent: the projects it may read (see agent-limit.ts), and its session. */
  Variables: { own: number[] | undefined; isAgent: boolean | undefined; session: string | undefined };
  /** The caller has shown the token, or came by the socket. */
  Bindings: { isTrusted: boolean };
};

type Shape = z.ZodRawShape;
type Read<Fields extends Shape> = z.output<z.ZodObject<Fields>>;
/** JSON by its schema; of other kinds the type of it. */
type Answer = z.ZodType | `${string}/${string}`;
type Sent<A extends Answer> = (A extends z.ZodType ? z.input<A> : never) | Response;
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

type Spec<Query extends Shape, Body extends Shape, A extends Answer> = {
  access?: Access;
  /** Other paths that answer alike: names of earlier versions, and those written in the wild. */
  aliases?: string[];
  /** What the parts of the path are, by their names. */
  parts?: Record<string, string>;
  query?: Query;
  body?: Body;
  /** Fields that are not known are passed over: the body is another program's. */
  isLoose?: boolean;
  answer: A;
  status?: 200 | 201 | 202;
  /** Answers of another status, sent as a Response. Errors are the same everywhere and not named. */
  others?: Record<number, Answer>;
  messages?: z.ZodType;
};

type Asked<Query extends Shape, Body extends Shape> = {
  query: Read<Query>;
  body: Read<Body>;
  param: (name: string) => string;
  c: Context<ApiEnv>;
  /** Asks another route, for a caller that was checked. */
  fetch: (request: Request) => Promise<Response>;
};

export type Route = Omit<Spec<Shape, Shape, Answer>, 'answer' | 'status' | 'others'> & {
  method: Method;
  path: string;
  about: string;
  answers: Record<number, Answer>;
  handle: (c: Context<ApiEnv>, fetch: Asked<Shape, Shape>['fetch']) => Promise<Response>;
};

/** A parameter or field that is not known, given twice or malformed is a 400 before `answer` is called. */
export function route<A extends Answer, Query extends Shape = Record<never, never>, Body extends Shape = Record<never, never>>(
  at: `${Method} /${string}`,
  about: string,
  spec: Spec<Query, Body, A>,
  answer: (asked: Asked<Query, Body>) => Sent<A> | Promise<Sent<A>>,
): Route {
  const { answer: schema, status = 200, others, ...more } = spec;
  const [method, path] = at.split(' ') as [Method, string];
  return {
    ...(more as Partial<Route>),
    ...{ method, path, about, answers: { [status]: schema, ...others } },
    handle: async (c, fetch) => {
      // The guard of the port has seen to it; nobody gets here by a slip of it.
      if (spec.access !== 'anyone' && c.env?.isTrusted === false) return c.json(UNTRUSTED, 401);
      const query = readQuery(c, spec.query ?? ({} as Query));
      const body = spec.body ? await readBody(c, spec.body, spec.isLoose) : ({} as Read<Body>);
      const sent = await answer({ query, body, param: (name) => c.req.param(name) ?? '', c, fetch });
      return sent instanceof Response ? sent : Response.json(sent, { status });
    },
  };
}

/** A part of a path that is a number of ours. */
export function readNumber(text: string, ofWhat: string, hint: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AskError('invalid', `"${text.slice(0, 60)}" is not the number of ${ofWhat}.`, hint);
}

const UNTRUSTED = { error: 'The token is missing or wrong.', hint: 'Send `Authorization: Bearer TOKEN`.' };

function readQuery<Fields extends Shape>(c: Context, fields: Fields): Read<Fields> {
  const given = Object.entries(c.req.queries()).map(([name, values]) => {
    if (values.length > 1) throw new AskError('invalid', `${name} is given twice.`, 'Give it once.');
    return [name, values[0] ?? ''];
  });
  return check(z.strictObject(fields), Object.fromEntries(given), 'parameter');
}

async function readBody<Fields extends Shape>(c: Context, fields: Fields, isLoose = false): Promise<Read<Fields>> {
  const body: unknown = await (isLoose ? readLong(c.req.raw) : c.req.json()).catch(() => {
    throw new AskError('invalid', 'The body is not JSON.', `Send an object with ${Object.keys(fields).join(', ')}.`);
  });
  return check(isLoose ? z.object(fields) : z.strictObject(fields), body, 'field');
}

/** Up to here it is read as it is; above, long strings lose their middle, as in a hook. */
const WHOLE_BYTES = 2 * 1024 * 1024;
const SLICE_BYTES = 256 * 1024;

/** What tools put out may be long. */
async function readLong(request: Request): Promise<unknown> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length <= WHOLE_BYTES) return JSON.parse(new TextDecoder().decode(bytes));
  const shrinker = createShrinker();
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    shrinker.push(bytes.subarray(at, at + SLICE_BYTES));
    // Hooks are answered in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return JSON.parse(shrinker.finish().json ?? '');
}

function check<Schema extends z.ZodObject>(schema: Schema, value: unknown, noun: string): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const known = `Known: ${Object.keys(schema.shape).join(', ')}.`;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') throw new AskError('invalid', `There is no ${noun} ${issue.keys[0]?.slice(0, 60)}.`, known);
  const name = issue?.path.join('.') || 'The body';
  throw new AskError('invalid', issue?.input === undefined ? `${name} is missing.` : `${name}: ${issue.message}.`, known);
}
