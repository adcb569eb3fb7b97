// A route said once: who may call it, what it takes, what it answers. It is served from this, and so is the OpenAPI document.
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { readBody, readQuery } from './answers.ts';

/** socket: this user's own programs, by a file only they can open. web: the port that any page in a browser can try. */
export type Door = 'socket' | 'web';

/** token: on the web with the token (the default). anyone: also without. socket: never on the web. */
export type Access = 'token' | 'anyone' | 'socket';

export type ApiEnv = {
  /** Of an agent: the projects it may read. See agent-limit.ts. */
  Variables: { own: number[] | undefined; isAgent: boolean | undefined };
  Bindings: { door: Door /** The caller has shown the token, or came by the socket. */; isTrusted: boolean };
};

export type Shape = z.ZodRawShape;

export type RouteSpec<Query extends Shape = Shape, Body extends Shape = Shape> = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** As Hono writes it: `/api/observations/:id`. */
  path: string;
  /** One sentence. */
  about: string;
  access?: Access;
  /** What the parts of the path are, by their names. */
  parts?: Record<string, string>;
  query?: Query;
  /** Fields of the JSON body. */
  body?: Body;
  /** Fields that are not known are passed over: the body is another program's. */
  isLoose?: boolean;
  /** What it answers, by status; of other kinds than JSON the type of it. Errors are the same everywhere and not named. */
  answers: Record<number, z.ZodType | `${string}/${string}`>;
  /** What each message is, when it answers with a stream of them. */
  messages?: z.ZodType;
};

/** The app with what is said of each of its routes. */
export type Api = { app: Hono<ApiEnv>; routes: RouteSpec[] };

type Output<Fields extends Shape> = z.output<z.ZodObject<Fields>>;

export type Asked<Query extends Shape, Body extends Shape> = {
  query: Output<Query>;
  body: Output<Body>;
  /** A part of the path, by its name. */
  param: (name: string) => string;
  c: Context<ApiEnv>;
};

/** A parameter or a field that is not known, given twice or malformed is a 400 before `answer` is called. */
export function addRoute<Query extends Shape = Record<never, never>, Body extends Shape = Record<never, never>>(
  { app, routes }: Api,
  spec: RouteSpec<Query, Body>,
  answer: (asked: Asked<Query, Body>) => Response | Promise<Response>,
): void {
  routes.push(spec as RouteSpec);
  app.on(spec.method, spec.path, async (c) => {
    // The guard has seen to it; nobody gets here by a slip of it.
    if (c.env?.door === 'web' && spec.access === 'socket') return c.notFound();
    if (c.env?.door === 'web' && spec.access !== 'anyone' && !c.env.isTrusted) return c.json(UNTRUSTED, 401);
    const query = readQuery(c, spec.query ?? ({} as Query));
    const body = spec.body ? await readBody(c, spec.body, { isLoose: spec.isLoose ?? false }) : ({} as Output<Body>);
    return answer({ query, body, param: (name) => c.req.param(name) ?? '', c });
  });
}

const UNTRUSTED = { error: 'The token is missing or wrong.', hint: 'Send `Authorization: Bearer TOKEN`.' };
