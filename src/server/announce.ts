// Sends to the stream what the worker stored and changed: read from the store a moment later, never while a hook waits.
import type { Database } from 'bun:sqlite';
import type { Ingested } from '../capture/ingest.ts';
import { findWaiting, readStreamedSessions } from '../capture/queue.ts';
import { subjectOf } from '../core/event.ts';
import { formatRef, MEMORY_TABLES, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import type { StreamMessage } from '../core/shapes/stream.ts';
import type { Log } from '../log.ts';
import { listNewer, type Marks, readMarks } from '../memory/lists.ts';
import { readMemories } from '../memory/read.ts';
import { projectName } from '../projects/projects.ts';
import type { Stream } from './stream.ts';

type Figures = { [T in 'processing' | 'spend' | 'silences']: () => Extract<StreamMessage, { type: T }>['data'] };

type AnnounceDeps = { db: Database; stream: Stream; figures: Figures; log: Log };

/** What comes together is read together. */
const LOOK_MS = 40;
/** So often it is looked without being told: at what another process stored, and what was done in the background. */
const SWEEP_MS = 1000;
/** A spinner and a number need no more. */
const FIGURES_MS = 250;
/** Sent one by one; more is a reason to ask again. */
const MOST = 200;
/** Events in one look: a few milliseconds. */
const MOST_EVENTS = 500;

export class Announce {
  readonly #deps: AnnounceDeps;
  #arrived: NonNullable<Ingested['known']>[] = [];
  #marks: Marks = { observation: 0, summary: 0, prompt: 0 };
  #timer: Timer | null = null;
  #figuresSeenAt = Number.NEGATIVE_INFINITY;
  #sweep: Timer | null = null;
  #sent: Record<string, string> = {};

  constructor(deps: AnnounceDeps) {
    const { db, stream } = deps;
    this.#deps = deps;
    stream.onWatched({
      begin: () => {
        this.#sweep = setInterval(this.#schedule, SWEEP_MS);
        // Until the end what is written costs a little more.
        db.run(BEGIN);
        this.#marks = readMarks(db);
        this.#sent = Object.fromEntries(this.#readFigures().map(({ type, data }) => [type, JSON.stringify(data)]));
      },
      end: () => {
        this.#arrived = [];
        if (this.#sweep) clearInterval(this.#sweep);
        endWatching(db);
      },
    });
  }

  /** After its commit; costs nothing while nobody watches. */
  ingested = ({ known, happened }: Ingested) => {
    // Prompts are memories and sent as such; what is private is not kept, and not sent.
    if (this.#deps.stream.isWatched() && known && happened && known.event.kind !== 'prompt') this.#arrived.push(known);
    this.stored();
  };

  stored = () => {
    if (this.#deps.stream.isWatched()) this.#schedule();
  };

  /** Something was forgotten: what was sent of it, and of what it was made of, is not sent again. */
  forgotten = () => {
    this.#arrived = [];
    this.#deps.stream.forget();
    this.stored();
  };

  close(): void {
    for (const one of [this.#sweep, this.#timer]) if (one) clearTimeout(one);
  }

  #schedule = () => {
    this.#timer ??= setTimeout(this.#attempt, LOOK_MS);
  };

  #attempt = () => {
    this.#timer = null;
    try {
      if (this.#deps.stream.isWatched()) this.#look();
    } catch (error) {
      // What was not sent is lost to them: whoever watches asks again.
      this.#deps.log.error('what happened could not be streamed', { error: String(error) });
      this.#reset('What happened could not be sent.');
    }
  };

  #look(): void {
    const { db, stream } = this.#deps;
    const fresh = this.#sendNewer();
    for (const data of describeEvents(db, this.#arrived.splice(0, MOST_EVENTS))) stream.publish({ type: 'event', data });
    this.#sendChanged(fresh);
    // At once, then not again for a while: a turn may be processed before anybody saw that it waited.
    const areFiguresDue = performance.now() >= this.#figuresSeenAt + FIGURES_MS;
    if (areFiguresDue) this.#sendFigures();
    if (this.#arrived.length > 0 || !areFiguresDue) this.#schedule();
  }

  #readFigures = () => Object.entries(this.#deps.figures).map(([type, read]) => ({ type, data: read() }) as StreamMessage);

  #sendFigures(): void {
    this.#figuresSeenAt = performance.now();
    for (const message of this.#readFigures()) {
      const json = JSON.stringify(message.data);
      if (json !== this.#sent[message.type]) this.#deps.stream.publish(message);
      this.#sent[message.type] = json;
    }
  }

  /** The ids of those that came since the last look. */
  #sendNewer(): Set<string> {
    const { db, stream } = this.#deps;
    const refs = listNewer(db, this.#marks, MOST + 1);
    if (refs.length > MOST) {
      this.#marks = readMarks(db);
      this.#reset('Many memories came at once.');
    } else if (refs.length > 0) {
      // Not the last there are: another process may have added some since.
      for (const { kind, id } of refs) this.#marks[kind] = id;
      const memories = readMemories(db, refs);
      for (const ref of refs) {
        const data = memories.get(formatRef(ref));
        if (data) stream.publish({ type: ref.kind, data });
      }
    }
    return new Set(refs.map(formatRef));
  }

  #sendChanged(fresh: Set<string>) {
    const { db, stream } = this.#deps;
    const changes = takeChanges(db, MOST);
    if (!changes || changes.some(({ kind }) => kind === 'all')) return this.#reset('Much has changed at once.');
    const sessions = changes.filter(({ kind }) => kind === 'session').map(({ id }) => id);
    if (sessions.length > 0) for (const data of readStreamedSessions(db, sessions)) stream.publish({ type: 'session', data });
    const refs = changes.filter(isOfMemory).filter((ref) => !fresh.has(formatRef(ref)));
    if (refs.length === 0) return;
    const memories = readMemories(db, refs);
    for (const data of memories.values()) stream.publish({ type: 'changed', data });
    const gone = refs.map(formatRef).filter((id) => !memories.has(id));
    if (gone.length === 0) return;
    // A prompt is replaced by nobody: it was forgotten, or turned out to be private, and so did what came under it.
    if (gone.some((id) => id.startsWith('P'))) stream.forget();
    else stream.drop(new Set(gone));
    stream.publish({ type: 'removed', data: { ids: gone } });
  }

  #reset = (reason: string): void => this.#deps.stream.publish({ type: 'reset', data: { reason } });
}

const isOfMemory = (change: Change): change is MemoryRef => change.kind !== 'session' && change.kind !== 'all';

function describeEvents(db: Database, arrived: NonNullable<Ingested['known']>[]) {
  if (arrived.length === 0) return [];
  const refs = arrived.map(({ event, session }) => ({ id: event.id, sessionId: session.id }));
  const waiting = findWaiting(db, refs);
  return arrived.map(({ event, session: { projectId, root } }) => {
    const { id, kind, at, session } = event;
    const tool = event.kind === 'tool' ? event.tool : null;
    const project = projectName(db, projectId);
    return { id, session, project, kind, tool, subject: subjectOf(event, root), isWaiting: waiting.has(id), at };
  });
}

/** all: more than single memories, such as the name of a project. */
type Change = { kind: MemoryKind | 'session' | 'all'; id: number };

const COLUMNS: Record<MemoryKind, string> = {
  observation: `type, title, subtitle, narrative, facts, concepts, files_read, files_modified, outcome, trust, origin, pinned,
    wrong_at, quarantined, hidden_at, session_id, project_id`,
  summary: 'request, investigated, learned, completed, next_steps, notes, files_read, files_edited, hidden_at, session_id, project_id',
  prompt: 'text, hidden_at, session_id',
};

const note = (kind: Change['kind'], id: string) => `BEGIN INSERT OR IGNORE INTO watched_changes VALUES ('${kind}', ${id}); END;`;

/** What is replaced looks different; what replaces it does not. */
const noteOlder = (row: string) => `BEGIN INSERT OR IGNORE INTO watched_changes VALUES (${row}.older_kind, ${row}.older_id); END;`;

const ofMemories = Object.entries(MEMORY_TABLES).map(
  ([kind, table]) => `
  CREATE TEMP TRIGGER IF NOT EXISTS watched_${table}_change AFTER UPDATE OF ${COLUMNS[kind as MemoryKind]}
    ON main.${table} ${note(kind as MemoryKind, 'new.id')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_${table}_leave AFTER DELETE ON main.${table} ${note(kind as MemoryKind, 'old.id')}`,
);

const BEGIN = `
  CREATE TEMP TABLE IF NOT EXISTS watched_changes (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
  ${ofMemories.join('')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_sessions_come AFTER INSERT ON main.sessions ${note('session', 'new.id')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_sessions_change AFTER UPDATE OF status, title, project_id ON main.sessions
    WHEN old.status IS NOT new.status OR old.title IS NOT new.title OR old.project_id <> new.project_id ${note('session', 'new.id')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_projects_change AFTER UPDATE OF name ON main.projects
    WHEN old.name <> new.name ${note('all', '0')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_replacements_come AFTER INSERT ON main.replacements ${noteOlder('new')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_replacements_change AFTER UPDATE ON main.replacements ${noteOlder('new')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_replacements_leave AFTER DELETE ON main.replacements ${noteOlder('old')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_distrust_come AFTER INSERT ON main.distrusted ${note('all', '0')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_distrust_leave AFTER DELETE ON main.distrusted ${note('all', '0')}`;

function endWatching(db: Database): void {
  const triggers = db
    .query<{ name: string }, []>("SELECT name FROM temp.sqlite_schema WHERE type = 'trigger' AND name LIKE 'watched_%'")
    .all();
  for (const { name } of triggers) db.run(`DROP TRIGGER temp.${name}`);
  db.run('DROP TABLE IF EXISTS temp.watched_changes');
}

/** Each is told once; null when there are more than so many, which are let go of. */
function takeChanges(db: Database, most: number): Change[] | null {
  const changes = db.query<Change, [number]>('SELECT kind, id FROM temp.watched_changes ORDER BY kind, id LIMIT ? + 0').all(most + 1);
  if (changes.length > 0) db.run('DELETE FROM temp.watched_changes');
  return changes.length > most ? null : changes;
}
