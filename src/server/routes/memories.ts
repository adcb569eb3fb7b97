// The routes that list: memories of each kind, the feed, memories by their ids, contradictions, sessions.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { findSessionsStarting, type Session } from '../../capture/sessions.ts';
import { AskError } from '../../core/ask-error.ts';
import { formatRef, MEMORY_KINDS, type MemoryKind } from '../../core/memory.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { listOf, MemoryTypes, pageShape, RangeShape, readRef, ScopeShape, SessionName, wholeNumber } from '../../core/shapes/asked.ts';
import {
  BatchAnswerSchema,
  ContradictionsSchema,
  FeedAnswerSchema,
  type Memory,
  MemoryPageSchema,
  WholeSessionAnswerSchema,
} from '../../core/shapes/memory.ts';
import { SessionPageSchema } from '../../core/shapes/project.ts';
import { parseRange } from '../../core/time.ts';
import { type FeedPlace, listMemories, readFeed } from '../../memory/lists.ts';
import { readMemories, readRows } from '../../memory/read.ts';
import { listContradictions } from '../../memory/replacements.ts';
import { listSessions, readSessionPage } from '../../memory/session-page.ts';
import { resolveListScope } from '../../projects/place.ts';
import { rollUpSession } from '../../search/rollup.ts';
import { tellTurn } from '../../search/turn-of.ts';
import { requireOwnMemories } from '../http/agent-limit.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

type MemoriesDeps = Pick<RouteDeps, 'db' | 'clock'>;

const ListShape = {
  ...ScopeShape,
  ...RangeShape,
  ...pageShape(50),
  session: SessionName.describe("Only of this session, by the agent's id"),
};

const FeedShape = {
  ...ScopeShape,
  ...RangeShape,
  type: MemoryTypes,
  file: z.string().min(1).max(4096).optional().describe('A path, or the end of one'),
  limit: wholeNumber(1, 200).default(50).describe('At most so many'),
  before: z.string().max(60).optional().describe('The next of the page before'),
};

const BatchShape = {
  ids: z
    .array(z.union([z.string(), z.number().transform(String)]))
    .min(1)
    .max(200)
    .describe('Like 123, S12 and P34'),
  full: z.boolean().optional().describe('Records of turns whole, with output and diffs, instead of 1,500 characters'),
  hidden: z.boolean().optional().describe('Also those that wait for somebody to decide about them'),
};

export function memoryRoutes({ db, clock }: MemoriesDeps): Route[] {
  const list = (kind: MemoryKind, query: z.output<z.ZodObject<typeof ListShape>> & { type?: string[] | undefined }) => {
    const { projectIds } = resolveListScope(db, query);
    const { limit, offset, session, type: types } = query;
    return listMemories(db, kind, { projectIds, types, session, limit, offset, ...parseRange(query, clock()) });
  };
  const ofTypes = { ...ListShape, type: listOf(OBSERVATION_TYPES).describe('Only of these types') };
  const answer = MemoryPageSchema;
  return [
    route('GET /api/observations', 'Observations, newest first.', { query: ofTypes, answer }, ({ query }) => list('observation', query)),
    route('GET /api/summaries', 'Summaries, newest first.', { query: ListShape, answer }, ({ query }) => list('summary', query)),
    route('GET /api/prompts', 'Prompts, newest first.', { query: ListShape, answer }, ({ query }) => list('prompt', query)),
    route(
      'GET /api/feed',
      'Observations, summaries and prompts in full, newest first, page by page.',
      { query: FeedShape, answer: FeedAnswerSchema },
      ({ query: { type: types, file, limit, before, ...scope } }) => {
        const { projectIds } = resolveListScope(db, scope);
        const place = before === undefined ? null : readPlace(before);
        const page = readFeed(db, { projectIds, types, file, limit, before: place, ...parseRange(scope, clock()) });
        return { ...page, next: page.next && `${page.next.at}.${page.next.kind}.${page.next.id}` };
      },
    ),
    route(
      'POST /api/observations/batch',
      'All of some memories of any kind, in the order of the ids.',
      { body: BatchShape, answer: BatchAnswerSchema },
      ({ body: { ids, full: isFull = false, hidden: withHidden = false }, c }) => {
        const refs = ids.map(readRef);
        requireOwnMemories(db, c.get('own'), refs);
        const found = readMemories(db, refs, { withHidden });
        const wanted = [...new Set(refs.map(formatRef))];
        const memories = wanted.flatMap((id) => found.get(id) ?? []).map((memory) => withRecord(db, memory, { isFull, withHidden }));
        return { memories, missing: wanted.filter((id) => !found.has(id)) };
      },
    ),
    ...otherLists({ db, clock }),
  ];
}

function withRecord(db: Database, memory: Memory, options: { isFull: boolean; withHidden: boolean }): Memory {
  const told = memory.kind === 'prompt' ? tellTurn(db, memory.id, options) : null;
  if (!told) return memory;
  return { ...memory, record: told.text, ...(told.left > 0 ? { recordLeft: told.left } : {}) };
}

function readPlace(text: string): FeedPlace {
  const [, at, kind, id] = /^(-?\d{1,15})\.([a-z]+)\.(\d{1,15})$/.exec(text) ?? [];
  const known = MEMORY_KINDS.find((one) => one === kind);
  if (known) return { at: Number(at), kind: known, id: Number(id) };
  throw new AskError('invalid', 'before is not the end of a page.', 'Give the `next` of an earlier answer.');
}

const SessionShape = { ...pageShape(10), order: z.enum(['oldest', 'newest']).default('oldest').describe('Which turns come first') };

const SessionsShape = {
  ...ScopeShape,
  ...RangeShape,
  ...pageShape(50),
  words: z
    .string()
    .max(200)
    .default('')
    .describe('All of these stand in its title, its first prompt or its branch, or it begins with them'),
  agent: z.string().min(1).max(100).optional().describe('Only of this agent: claude-code, codex, gemini'),
  branch: z.string().min(1).max(200).optional().describe('Only of this branch'),
};

function otherLists({ db, clock }: MemoriesDeps): Route[] {
  return [
    route(
      'GET /api/contradictions',
      'Pairs of memories that seem to disagree, the latest first.',
      { query: { ...ScopeShape, limit: wholeNumber(1, 200).default(50).describe('How many') }, answer: ContradictionsSchema },
      ({ query }) => {
        const pairs = listContradictions(db, resolveListScope(db, query).projectIds, query.limit);
        const refs = pairs.flatMap(({ older, newer }) => [older, newer]);
        const rows = readRows(db, refs);
        const items = pairs.flatMap(({ older, newer, why, words, at }) => {
          const [first, second] = [rows.get(formatRef(newer)), rows.get(formatRef(older))];
          return first && second ? [{ newer: first, older: second, why, words, at }] : [];
        });
        return { items };
      },
    ),
    route(
      'GET /api/sessions',
      'The sessions that were alive in a time.',
      { query: SessionsShape, answer: SessionPageSchema },
      ({ query }) => {
        const { limit, offset, words, agent, branch } = query;
        const { projectIds } = resolveListScope(db, query);
        return listSessions(db, { projectIds, limit, offset, words, agent, branch, ...parseRange(query, clock()) });
      },
    ),
    route(
      'GET /api/sessions/:session',
      'One session by its id or the beginning of it: what came of it, and turn by turn.',
      {
        parts: { session: "The agent's id of a session, or the beginning of it" },
        query: SessionShape,
        answer: WholeSessionAnswerSchema,
      },
      ({ param, query }) => {
        const session = findOne(db, param('session'));
        const page = readSessionPage(db, session.id, query);
        if (!page) throw notThere(param('session'));
        return { ...page, rollUp: rollUpSession(db, session) };
      },
    ),
  ];
}

function findOne(db: Database, name: string): Session {
  const [session, ...others] = findSessionsStarting(db, name);
  if (!session) throw notThere(name);
  if (others.length === 0) return session;
  const candidates = [session, ...others].map(({ hostSessionId }) => hostSessionId);
  throw new AskError('ambiguous', `Several sessions begin with ${name.slice(0, 60)}.`, 'Give more of it.', candidates);
}

const notThere = (name: string) =>
  new AskError('unknown', `There is no session ${name.slice(0, 60)}.`, '`claude-mem sessions` lists them.');
