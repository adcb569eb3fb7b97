// A hub: carries records between the machines of its members. Stateless: any process on the same database answers any request.
import { z } from 'zod';
import {
  DeviceBody,
  InviteBody,
  LoginBody,
  type MeAnswer,
  PairingBody,
  PairingHalf,
  PushBody,
  RoleBody,
  SealBody,
  SpaceBody,
  WaitBody,
} from '../core/shapes/sync.ts';
import type { Log } from '../log.ts';
import type { Embedder } from '../search/embed/embedder.ts';
import * as accounts from './accounts.ts';
import { listSpaces, openSpace, pull, push, readHead, search } from './records.ts';
import { NO_TENANT, type Storage, type Tx } from './storage.ts';

type HubDeps = {
  storage: Storage;
  clock: () => number;
  log: Pick<Log, 'warn' | 'error'>;
  /** How often whoever waits looks for what another process took in. */
  lookMs?: number;
  /** For search by meaning; without it words alone. */
  embedder?: Embedder;
};

export const MOST_BODY = 8 * 1024 * 1024;
const LOOK_MS = 1000;
/** Below the time after which proxies give up. */
const LONGEST_WAIT_MS = 25_000;

export function createHub(deps: HubDeps) {
  const waiting = createWaiting();
  return {
    async fetch(request: Request): Promise<Response> {
      try {
        return Response.json(await answer(deps, request, waiting));
      } catch (error) {
        if (error instanceof accounts.HubError) return Response.json({ error: error.message }, { status: error.status });
        if (error instanceof z.ZodError || error instanceof SyntaxError || error instanceof URIError)
          return Response.json({ error: 'The request cannot be read. The hub may be of another version.' }, { status: 400 });
        // The message of a database error may quote a value: its kind is enough.
        deps.log.error('a request failed', { path: new URL(request.url).pathname, error: nameError(error) });
        return Response.json({ error: 'The hub has a problem. Try again later.' }, { status: 503 });
      }
    },
  };
}

const nameError = (error: unknown) =>
  error instanceof Error ? [error.name, 'errno' in error ? error.errno : '', 'code' in error ? error.code : ''].join(' ') : 'unknown';

type Waiting = ReturnType<typeof createWaiting>;

async function answer(deps: HubDeps, request: Request, waiting: Waiting): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url);
  const [, version, what = '', named = ''] = pathname.split('/');
  if (pathname === '/health')
    return deps.storage.inTenant(NO_TENANT, (tx) => tx.all(ASK_DATABASE, [NO_TENANT])).then(() => ({ status: 'ok' }));
  if (version !== 'v1') throw new accounts.HubError(404, 'There is no such route.');
  const route = `${request.method} ${what}${named ? '/:id' : ''}`;
  const id = decodeURIComponent(named);
  const open = OPEN_ROUTES[route];
  if (open) return open({ deps, id, body: () => readBody(request) });
  const token = /^Bearer ([a-z\d]+-[a-z\d]+-[a-z\d]+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  if (!token) throw new accounts.HubError(401, 'A token is needed.');
  if (route === 'POST wait') return waitForNews(deps, token, await readBody(request), waiting);
  const pairing = PAIRING_ROUTES[route];
  if (pairing) return pairing({ deps, token, id, body: await readBody(request) });
  const run = ROUTES[route];
  if (!run) throw new accounts.HubError(404, 'There is no such route.');
  const body = request.method === 'GET' ? Object.fromEntries(searchParams) : await readBody(request);
  const result = await asCaller(deps, token, (tx, caller) =>
    run({ tx, caller, body, id, now: deps.clock(), embedder: deps.embedder ?? null }),
  );
  if (route === 'POST push') {
    waiting.wake(accounts.tenantOf(token));
    const gone = PushBody.parse(body).records.filter(({ base, state }) => base !== null || state !== 'live');
    const isPlain = gone.some(({ kind }) => kind !== 'sealed');
    if (gone.length > 0)
      await deps.storage.scour(isPlain).catch((error) => deps.log.error('the disk could not be scoured', { error: nameError(error) }));
  }
  return result;
}

/** The database answers, or the balancer before the hub hears that it does not. */
const ASK_DATABASE = 'SELECT 1 FROM tenants WHERE tenant = $1';

async function asCaller<T>(
  { storage, clock, log }: HubDeps,
  token: string,
  work: (tx: Tx, caller: accounts.Caller) => Promise<T>,
): Promise<T> {
  const { result, caller } = await storage.inTenant(accounts.tenantOf(token), async (tx) => {
    const caller = await accounts.authenticate(tx, token);
    return { result: await work(tx, caller), caller };
  });
  await accounts.noteSeen(storage, caller, clock()).catch((error) => log.error('a visit could not be noted', { error: nameError(error) }));
  return result;
}

async function readBody(request: Request): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BODY) throw new accounts.HubError(413, 'The request is too large.');
  const text = await request.text();
  if (text.length > MOST_BODY) throw new accounts.HubError(413, 'The request is too large.');
  return text === '' ? {} : JSON.parse(text);
}

type Open = { deps: HubDeps; id: string; body: () => Promise<unknown> };
const OPEN_ROUTES: Record<string, (asked: Open) => Promise<unknown>> = {
  'POST login': async ({ deps, body }) => accounts.login(deps.storage, LoginBody.parse(await body()), deps.clock()),
  'GET pairings/:id': ({ deps, id }) => deps.storage.inTenant(NO_TENANT, (tx) => accounts.readPairing(tx, id, deps.clock())),
  'PUT pairings/:id': async ({ deps, id, body }) => {
    const half = PairingHalf.parse(await body());
    await deps.storage.inTenant(NO_TENANT, (tx) => accounts.answerPairing(tx, id, half, deps.clock()));
    return {};
  },
};

type Asked = { tx: Tx; caller: accounts.Caller; body: unknown; id: string; now: number; embedder: Embedder | null };
const done = async (work: Promise<void>) => work.then(() => ({}));

const ROUTES: Record<string, (asked: Asked) => Promise<unknown>> = {
  'GET me': ({ tx, caller }) => describe(tx, caller),
  'GET pull': ({ tx, caller, body, now }) => pull(tx, caller, PullQuery.parse(body), now),
  'POST push': ({ tx, caller, body, now }) => push(tx, caller, PushBody.parse(body), now),
  'POST spaces': ({ tx, caller, body, now }) => openSpace(tx, caller, SpaceBody.parse(body).project, now),
  'GET devices': async ({ tx, caller }) => ({ devices: await accounts.listDevices(tx, caller) }),
  'POST devices': ({ tx, caller, body, now }) =>
    accounts.addDevice(
      tx,
      { tenant: caller.tenant, member: caller.member, name: DeviceBody.parse(body).device, addedBy: caller.device },
      now,
    ),
  'DELETE devices/:id': ({ tx, caller, id, now }) => done(accounts.revokeDevice(tx, caller, id, now)),
  'GET members': async ({ tx, caller }) => ({ members: await accounts.listMembers(tx, caller) }),
  'POST invites': async ({ tx, caller, body, now }) => {
    accounts.requireRole(caller, 'admin');
    return { code: await accounts.invite(tx, { tenant: caller.tenant, actor: caller.name }, InviteBody.parse(body), now) };
  },
  'PATCH members/:id': ({ tx, caller, body, id, now }) => done(accounts.changeMember(tx, caller, id, RoleBody.parse(body).role, now)),
  'DELETE members/:id': ({ tx, caller, id, now }) => done(accounts.changeMember(tx, caller, id, null, now)),
  'GET search': ({ tx, caller, body, embedder }) => search(tx, caller, SearchQuery.parse(body).query, embedder),
  'GET audit': async ({ tx, caller }) => ({ entries: await accounts.readAudit(tx, caller) }),
};

type PairingAsked = { deps: HubDeps; token: string; id: string; body: unknown };

/** Rows of no tenant, in a transaction of their own once the caller is known. */
const forPairing = (work: (tx: Tx, asked: PairingAsked) => Promise<void>) => async (asked: PairingAsked) => {
  await asCaller(asked.deps, asked.token, async () => undefined);
  await asked.deps.storage.inTenant(NO_TENANT, (tx) => work(tx, asked));
  return {};
};
const PAIRING_ROUTES: Record<string, (asked: PairingAsked) => Promise<unknown>> = {
  'POST pairings': forPairing((tx, { deps, body }) => accounts.offerPairing(tx, PairingBody.parse(body), deps.clock())),
  'POST pairings/:id': forPairing((tx, { id, body }) => accounts.sealPairing(tx, id, SealBody.parse(body).sealed)),
  'DELETE pairings/:id': forPairing((tx, { id }) => accounts.dropPairing(tx, id)),
};

const SearchQuery = z.object({ query: z.string().min(1).max(300) });
const PullQuery = z.object({ space: z.string().max(64), after: z.coerce.number().int().min(0).default(0) });

async function describe(tx: Tx, caller: accounts.Caller): Promise<MeAnswer> {
  const personal = accounts.personalSpace(caller.member);
  const { seenAt: _, ...me } = caller;
  return { ...me, personal, personalHead: await readHead(tx, caller, personal), spaces: await listSpaces(tx, caller) };
}

/** Every look proves the token again: a device that is revoked while it waits gets nothing more. */
async function waitForNews(deps: HubDeps, token: string, body: unknown, waiting: Waiting): Promise<MeAnswer> {
  const { seen, seconds } = WaitBody.parse(body);
  const deadline = performance.now() + Math.min(seconds * 1000, LONGEST_WAIT_MS);
  for (;;) {
    const news = waiting.next(accounts.tenantOf(token), deps.lookMs ?? LOOK_MS);
    const me = await asCaller(deps, token, describe);
    const isNews = me.personalHead > (seen[me.personal] ?? 0) || me.spaces.some(({ id, head }) => head > (seen[id] ?? 0));
    if (isNews || performance.now() >= deadline) {
      news.cancel();
      return me;
    }
    await news.promise;
  }
}

/** A push here wakes who waits here at once; of one in another process they learn by looking. */
function createWaiting() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    wake(key: string) {
      for (const listener of listeners.get(key) ?? []) listener();
    },
    next(key: string, timeoutMs: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const all = listeners.get(key) ?? new Set();
      const cancel = () => {
        clearTimeout(timer);
        all.delete(cancel);
        if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
        resolve();
      };
      const timer = setTimeout(cancel, timeoutMs);
      listeners.set(key, all.add(cancel));
      return { promise, cancel };
    },
  };
}
