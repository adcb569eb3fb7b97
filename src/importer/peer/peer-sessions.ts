// The sessions of another claude-mem's database, to be found by each of the ids that its memories name them by.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../../core/ids.ts';
import type { PeerMemory, PeerSession } from './peer-memory.ts';
import { listColumns, readTable, type Value } from './tables.ts';
import { readText, readTime } from './values.ts';

export type PeerSessions = {
  /** All of them, with the first prompt of those whose prompts are kept nowhere else. To be read to its end first. */
  read: () => Generator<PeerMemory>;
  /** The session that a memory names, or one that stands for it when it is gone. */
  find: (named: {
    row?: Value;
    content?: Value;
    memory?: Value;
    project: string | null;
    at: number | null;
  }) => PeerSession;
};

export function createPeerSessions(db: Database, fileTime: number): PeerSessions {
  const byName = new Map<string, PeerSession>();
  const identity = identify(db);

  const find: PeerSessions['find'] = ({ row = null, content = null, memory = null, project, at }) => {
    const names = [`row ${row}`, `content ${content}`, `memory ${memory}`];
    const known = names.map((name) => byName.get(name)).find((session) => session !== undefined);
    if (known) return known;
    const named = readText(content);
    const id = named ?? `${UNNAMED}:${identity}:${readText(memory) ?? row ?? '-'}`;
    const startedAt = at ?? fileTime;
    const made = { id, host: HOST, project: project ?? UNKNOWN, title: null, startedAt, completedAt: null };
    byName.set(named ? `content ${named}` : `memory ${memory}`, made);
    return made;
  };

  function* read(): Generator<PeerMemory> {
    const hasPrompts = createPromptCheck(db);
    for (const [table, wanted] of Object.entries(TABLES))
      for (const page of readTable(db, table, wanted)) {
        for (let lost = 0; lost < page.unreadable; lost++) yield { kind: 'unreadable' };
        for (const row of page.rows) {
          const content = readText(row.content);
          const startedAt = readTime(row.startedEpoch, row.started) ?? fileTime;
          const session: PeerSession = {
            id: content ?? `${UNNAMED}:${identity}:${readText(row.memory) ?? `${table}-${row.row}`}`,
            host: nameHost(readText(row.platform)),
            project: readText(row.project) ?? UNKNOWN,
            title: readText(row.title),
            startedAt,
            completedAt: readTime(row.completedEpoch, row.completed),
          };
          const known = content === null ? undefined : byName.get(`content ${content}`);
          // The same session in an older table says nothing new.
          const kept = table !== CURRENT && known ? known : session;
          if (table === CURRENT) byName.set(`row ${row.row}`, kept);
          if (content !== null && !known) byName.set(`content ${content}`, kept);
          if (row.memory !== null) byName.set(`memory ${row.memory}`, kept);
          yield { kind: 'session', session: kept };
          const text = readText(row.prompt);
          if (text !== null && !hasPrompts(content))
            yield { kind: 'prompt', session: kept, project: kept.project, promptNumber: 1, text, at: startedAt };
        }
      }
  }

  return { read, find };
}

const HOST = 'claude-code';
const UNNAMED = 'claude-mem.db';
const UNKNOWN = 'unknown';
const CURRENT = 'sdk_sessions';

const nameHost = (platform: string | null) =>
  platform === null || platform.toLowerCase().startsWith('claude') ? HOST : platform.trim().toLowerCase();

const WANTED = {
  content: ['content_session_id', 'claude_session_id', 'session_id'],
  memory: ['memory_session_id', 'sdk_session_id'],
  project: ['project'],
  platform: ['platform_source'],
  title: ['custom_title', 'title'],
  prompt: ['user_prompt'],
  started: ['started_at', 'created_at'],
  startedEpoch: ['started_at_epoch', 'created_at_epoch'],
  completed: ['completed_at', 'archived_at'],
  completedEpoch: ['completed_at_epoch'],
};
/** The newest first. */
const TABLES = { [CURRENT]: WANTED, streaming_sessions: WANTED, sessions: WANTED };

/** The same file is known again wherever it lies, by how it began. */
function identify(db: Database): string {
  const first = (table: string, column: string) =>
    listColumns(db, table).includes(column)
      ? String(db.query<{ said: Value }, []>(`SELECT "${column}" AS said FROM "${table}" LIMIT 1`).get()?.said ?? '')
      : '';
  const beginning = [
    first('schema_versions', 'applied_at'),
    first('sdk_sessions', 'started_at'),
    first('observations', 'created_at'),
    first('sessions', 'created_at'),
  ];
  return hashParts(beginning).slice(0, 12);
}

/** Older versions kept the first prompt of a session with the session alone. */
function createPromptCheck(db: Database): (content: string | null) => boolean {
  const column = ['content_session_id', 'claude_session_id'].find((name) =>
    listColumns(db, 'user_prompts').includes(name),
  );
  if (!column) return () => false;
  const query = db.query(`SELECT 1 FROM user_prompts WHERE "${column}" = ? LIMIT 1`);
  return (content) => content !== null && query.get(content) !== null;
}
