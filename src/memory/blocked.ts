// distrusted: the sources whose memories are told to nobody. What they said stays and is found, with a mark.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { type DistrustParameters, formatSource, parseSource, type Source } from '../core/correction.ts';
import { formatRef, MEMORY_TABLES, type MemoryRef, parseRef } from '../core/memory.ts';
import type { DistrustAnswer, DistrustedSource } from '../core/shapes/memory.ts';
import { isoTime } from '../store/time.ts';
import { requirePerson } from './edit.ts';

/** False when it was distrusted already. */
export function distrust(db: Database, source: Source, at: number): boolean {
  return db.query('INSERT OR IGNORE INTO distrusted (source, created_at) VALUES (?, ?)').run(formatSource(source), isoTime(at)).changes > 0;
}

/** False when it was trusted already. */
export function trustAgain(db: Database, source: Source): boolean {
  return db.query('DELETE FROM distrusted WHERE source = ?').run(formatSource(source)).changes > 0;
}

/** Oldest first. */
export function listDistrusted(db: Database): DistrustedSource[] {
  return db
    .query<{ source: string; since: string }, []>('SELECT source, created_at AS since FROM distrusted ORDER BY created_at, source')
    .all()
    .map((row) => ({ ...row, memories: countFrom(db, row.source) }));
}

function countFrom(db: Database, text: string): number {
  const source = parseSource(text);
  if (!source) return 0;
  const [condition, value] = conditionOf(source);
  return (
    db
      .query<{ n: number }, [string]>(
        `SELECT count(*) AS n FROM observations o JOIN sessions s ON s.id = o.session_id WHERE o.hidden_at IS NULL AND ${condition}`,
      )
      .get(value)?.n ?? 0
  );
}

function conditionOf(source: Source): [sql: string, value: string] {
  if (source.kind === 'session') return ['s.host_session_id = ?', source.id];
  return source.kind === 'host' ? ['s.host = ?', source.name] : ['o.origin = ?', source.origin];
}

/** Where a memory comes from; null when there is none. */
function findSessionOf(db: Database, { kind, id }: MemoryRef) {
  return db
    .query<{ hostSessionId: string; host: string }, [number]>(
      `SELECT s.host_session_id AS hostSessionId, s.host FROM ${MEMORY_TABLES[kind]} m
       JOIN sessions s ON s.id = m.session_id WHERE m.id = ?`,
    )
    .get(id);
}

/** Whether anything is known of a session or host of this name: else it is likely a slip. */
function isKnownSource(db: Database, source: Source): boolean {
  if (source.kind === 'origin') return true;
  const column = source.kind === 'session' ? 'host_session_id' : 'host';
  const name = source.kind === 'session' ? source.id : source.name;
  return db.query(`SELECT 1 FROM sessions WHERE ${column} = ? LIMIT 1`).get(name) !== null;
}

export function changeTrust(db: Database, asked: DistrustParameters, now: number): DistrustAnswer {
  requirePerson(asked.by);
  return db
    .transaction(() => {
      const source = findSource(db, asked.source);
      const isChanged = asked.trusted ? trustAgain(db, source) : distrust(db, source, now);
      return { source: formatSource(source), isChanged, sources: listDistrusted(db) };
    })
    .immediate();
}

function findSource(db: Database, text: string): Source {
  const ref = parseRef(text);
  if (ref) return findSessionSource(db, ref);
  const source = parseSource(text);
  if (!source) {
    throw new AskError(
      'invalid',
      `"${text.slice(0, 60)}" is no source.`,
      'Sources are session:ID, host:NAME, origin:user|agent|command|file|commit|web|mcp, or the id of a memory for its session.',
    );
  }
  // One that was distrusted before its session was forgotten can still be trusted again.
  if (isKnownSource(db, source) || listDistrusted(db).some((known) => known.source === formatSource(source))) return source;
  throw new AskError('unknown', `Nothing is remembered from ${formatSource(source)}.`, 'See `claude-mem show ID` for the session.');
}

/** What was said by hand is all in one session of its project: distrusting that would put away every note of it. */
function findSessionSource(db: Database, ref: MemoryRef): Source {
  const id = formatRef(ref);
  const session = findSessionOf(db, ref);
  if (!session) throw new AskError('unknown', `There is no memory ${id}.`, 'Nothing was changed.');
  if (session.host === 'claude-mem') {
    const hint = `To take back this one alone: claude-mem wrong ${id}`;
    throw new AskError('conflict', `${id} was said by hand, it came from no session of an agent.`, hint);
  }
  if (session.host === 'git') {
    const hint = `To take back this one alone: claude-mem wrong ${id}; to distrust every commit: claude-mem distrust origin:commit`;
    throw new AskError('conflict', `${id} is a commit, it came from no session of an agent.`, hint);
  }
  return { kind: 'session', id: session.hostSessionId };
}
