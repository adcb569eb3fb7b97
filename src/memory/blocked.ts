// distrusted: the sources whose memories are told to nobody. What they said stays and is found, with a mark.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import { ORIGINS } from '../core/observation.ts';
import type { BlockParameters } from '../core/shapes/asked.ts';
import type { DistrustAnswer, DistrustedSource } from '../core/shapes/memory.ts';
import { isoTime } from '../core/time.ts';
import { exists, readAll } from '../store/read.ts';
import { requirePerson } from './edit.ts';
import { readMemories } from './read.ts';
import { sourcesOf } from './trusted.ts';

/** `session:ID`, `origin:web`, `host:NAME`, as it is kept; `author:NAME` of a team is a host. Null for anything else. */
export function parseSource(text: string): string | null {
  const [source = null, kind, name] = /^(session|origin|host|author):(\S.{0,199})$/.exec(text.trim()) ?? [];
  if (kind === 'author') return `host:team/${name}`;
  return kind === 'origin' && !ORIGINS.some((known) => known === name) ? null : source;
}

/** False when it was distrusted already. */
export const distrust = (db: Database, source: string, at: number): boolean =>
  db.query('INSERT OR IGNORE INTO distrusted (source, created_at) VALUES (?, ?)').run(source, isoTime(at)).changes > 0;

/** False when it was trusted already. */
const trustAgain = (db: Database, source: string): boolean => db.query('DELETE FROM distrusted WHERE source = ?').run(source).changes > 0;

/** Oldest first. */
export const listDistrusted = (db: Database): DistrustedSource[] => {
  const sql = `SELECT d.source, d.created_at AS since, (SELECT count(*) FROM observations o LEFT JOIN sessions s ON s.id = o.session_id
      WHERE o.hidden_at IS NULL AND d.source IN ${sourcesOf('o', 's')}) AS memories
    FROM distrusted d ORDER BY d.created_at, d.source`;
  return readAll<DistrustedSource>(db, sql);
};

export function changeTrust(db: Database, asked: BlockParameters, now: number): DistrustAnswer {
  requirePerson(asked.by);
  return db
    .transaction(() => {
      const source = findSource(db, asked.source);
      const isChanged = asked.trusted ? trustAgain(db, source) : distrust(db, source, now);
      return { source, isChanged, sources: listDistrusted(db) };
    })
    .immediate();
}

function findSource(db: Database, text: string): string {
  const ref = parseRef(text);
  if (ref) return findSessionSource(db, ref);
  const source = parseSource(text);
  if (!source) {
    throw new AskError(
      'invalid',
      `"${text.slice(0, 60)}" is no source.`,
      'Sources are author:NAME, session:ID, host:NAME, origin:user|agent|command|file|commit|web|mcp, or the id of a memory.',
    );
  }
  if (source.startsWith('origin:') || isKnown(db, source)) return source;
  throw new AskError('unknown', `Nothing is remembered from ${source}.`, 'See `claude-mem show ID` for the session.');
}

/** Else it is likely a slip. One that was distrusted before its session was forgotten can still be trusted again. */
const isKnown = (db: Database, source: string): boolean =>
  exists(db, "SELECT 1 FROM sessions WHERE ? IN ('session:' || host_session_id, 'host:' || host) LIMIT 1", source) ||
  exists(db, "SELECT 1 FROM observations WHERE session_id IS NULL AND 'host:team/' || author = ? LIMIT 1", source) ||
  exists(db, 'SELECT 1 FROM distrusted WHERE source = ?', source);

function findSessionSource(db: Database, { kind, id }: MemoryRef): string {
  const name = formatRef({ kind, id });
  const memory = readMemories(db, [{ kind, id }], { withHidden: true }).get(name);
  if (!memory) throw new AskError('unknown', `There is no memory ${name}.`, 'Nothing was changed.');
  if (memory.session !== null) return `session:${memory.session}`;
  if (memory.agent) return `host:${memory.agent}`;
  const [what, all] = memory.commit ? ['is a commit', '; to block every commit: claude-mem block origin:commit'] : ['was said by hand', ''];
  const hint = `To take back this one alone: claude-mem incorrect ${name}${all}`;
  throw new AskError('conflict', `${name} ${what}, it came from no session of an agent.`, hint);
}
