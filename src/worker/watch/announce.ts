// Tells whoever watches what the worker stored and changed: read from the store a moment later, never while a hook waits.
import type { Database } from 'bun:sqlite';
import { subjectOf } from '../../core/event-subject.ts';
import { formatRef, type MemoryRef } from '../../core/memory.ts';
import type { SilenceAnswer } from '../../core/silence.ts';
import type { Processing, StreamedEvent, StreamMessage } from '../../core/stream.ts';
import type { Log } from '../../log.ts';
import {
  findWaiting,
  readProcessing as readStoredProcessing,
  readStreamedSessions,
} from '../../store/events/processing.ts';
import { readMemories } from '../../store/memories/memories.ts';
import { listNewer, type Marks, readMarks } from '../../store/memories/newer-memories.ts';
import { projectName } from '../../store/projects/projects.ts';
import { beginWatching, type Change, endWatching, takeChanges } from '../../store/watched-changes.ts';
import type { Ingested } from '../intake/ingest.ts';
import type { Bus } from './bus.ts';

type Spend = Extract<StreamMessage, { type: 'spend' }>['data'];

export type Announce = {
  /** After its commit; costs nothing while nobody watches. */
  ingested: (ingested: Ingested) => void;
  /** Something was stored, changed or removed, by whomever. What, the store tells. */
  stored: () => void;
  /** Something was forgotten: what was told of it, and of what it was made of, is not told again. */
  forgotten: () => void;
  /** More has changed than the store can tell. */
  reset: (reason: string) => void;
  close: () => void;
};

export type AnnounceDeps = {
  db: Database;
  bus: Bus;
  readSpend: () => Spend;
  readSilences: () => SilenceAnswer;
  /** What waits in the store, unless somebody knows more. Asked four times a second. */
  readProcessing?: () => Processing;
  log: Log;
};

/** What comes together is read together. */
const LOOK_MS = 40;
/** So often it is looked without being told: at what another process stored, and what was done in the background. */
const SWEEP_MS = 1000;
/** A spinner and a number need no more. */
const WORK_MS = 250;
/** Told one by one; more is a reason to ask anew. */
const MOST = 200;
/** Events in one look: a few milliseconds. */
const MOST_EVENTS = 500;

export function createAnnounce({ db, bus, readSpend, readSilences, log, ...deps }: AnnounceDeps): Announce {
  const readProcessing = deps.readProcessing ?? (() => readStoredProcessing(db));
  let arrived: NonNullable<Ingested['known']>[] = [];
  let marks: Marks = { observation: 0, summary: 0, prompt: 0 };
  let timer: Timer | null = null;
  let workTimer: Timer | null = null;
  let workSeenAt = Number.NEGATIVE_INFINITY;
  let sweep: Timer | null = null;
  /** What was told last. */
  let told = { processing: '', spend: '', silences: '' };

  bus.onWatched({
    begin() {
      sweep = setInterval(() => schedule(), SWEEP_MS);
      beginWatching(db);
      marks = readMarks(db);
      told = {
        processing: JSON.stringify(readProcessing()),
        spend: JSON.stringify(readSpend()),
        silences: JSON.stringify(readSilences()),
      };
    },
    end() {
      arrived = [];
      if (sweep) clearInterval(sweep);
      endWatching(db);
    },
  });

  const look = () => {
    timer = null;
    if (!bus.isWatched()) return;
    const fresh = tellNewer();
    tellArrived();
    tellChanged(fresh);
    // At once, then not again for a while: a turn may be distilled before anybody saw that it waited.
    workTimer ??= setTimeout(() => attempt(lookAtWork), Math.max(0, workSeenAt + WORK_MS - performance.now()));
    if (arrived.length > 0) schedule();
  };

  const lookAtWork = () => {
    workTimer = null;
    workSeenAt = performance.now();
    if (!bus.isWatched()) return;
    tellIfNew('processing', readProcessing());
    tellIfNew('spend', readSpend());
    tellIfNew('silences', readSilences());
  };

  /** The ids of those that came since the last look. */
  const tellNewer = (): Set<string> => {
    const refs = listNewer(db, marks, MOST + 1);
    if (refs.length === 0) return new Set();
    if (refs.length > MOST) {
      marks = readMarks(db);
      bus.publish(resetBecause('Many memories came at once.'));
    } else {
      // Not the last there are: another process may have added some since.
      for (const { kind, id } of refs) marks[kind] = id;
      publishMemories(refs);
    }
    return new Set(refs.map(formatRef));
  };

  const publishMemories = (refs: MemoryRef[]) => {
    const memories = readMemories(db, refs);
    for (const ref of refs) {
      const data = memories.get(formatRef(ref));
      if (data) bus.publish({ type: ref.kind, data });
    }
  };

  const tellArrived = () => {
    const some = arrived.splice(0, MOST_EVENTS);
    if (some.length === 0) return;
    const waiting = findWaiting(
      db,
      some.map(({ event, session }) => ({ id: event.id, sessionId: session.id })),
    );
    const names = new Map<number, string>();
    for (const { event, session } of some) {
      const project = names.get(session.projectId) ?? projectName(db, session.projectId);
      names.set(session.projectId, project);
      const data: StreamedEvent = {
        id: event.id,
        session: event.session,
        project,
        kind: event.kind,
        tool: event.kind === 'tool' ? event.tool : null,
        subject: subjectOf(event, session.root),
        isWaiting: waiting.has(event.id),
        at: event.at,
      };
      bus.publish({ type: 'event', data });
    }
  };

  const tellChanged = (fresh: Set<string>) => {
    const changes = takeChanges(db, MOST);
    if (!changes || changes.some(({ kind }) => kind === 'all')) {
      bus.publish(resetBecause('Much has changed at once.'));
      return;
    }
    const sessions = changes.filter(({ kind }) => kind === 'session').map(({ id }) => id);
    if (sessions.length > 0)
      for (const data of readStreamedSessions(db, sessions)) bus.publish({ type: 'session', data });
    const refs = changes.filter(isOfMemory).filter((ref) => !fresh.has(formatRef(ref)));
    if (refs.length > 0) publishChanged(refs);
  };

  const publishChanged = (refs: MemoryRef[]) => {
    const memories = readMemories(db, refs);
    const gone: string[] = [];
    for (const ref of refs) {
      const data = memories.get(formatRef(ref));
      if (data) bus.publish({ type: 'changed', data });
      else gone.push(formatRef(ref));
    }
    if (gone.length === 0) return;
    // A prompt is replaced by nobody: it was forgotten, or turned out to be private, and so did what came under it.
    if (gone.some((id) => id.startsWith('P'))) bus.forget();
    else bus.drop(new Set(gone));
    bus.publish({ type: 'removed', data: { ids: gone } });
  };

  const tellIfNew = <T extends keyof typeof told>(type: T, data: Extract<StreamMessage, { type: T }>['data']): void => {
    const json = JSON.stringify(data);
    if (json === told[type]) return;
    told[type] = json;
    bus.publish({ type, data } as StreamMessage);
  };

  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      // What was not told is lost to them: whoever watches asks anew.
      log.error('what happened could not be told', { error: String(error) });
      bus.publish(resetBecause('What happened could not be told.'));
    }
  };

  const schedule = () => {
    timer ??= setTimeout(() => attempt(look), LOOK_MS);
  };

  return {
    ingested({ known, happened }) {
      if (!bus.isWatched()) return;
      // Prompts are memories and told as such; what is private is not kept, and not told.
      if (known && happened && known.event.kind !== 'prompt') arrived.push(known);
      schedule();
    },
    stored: () => {
      if (bus.isWatched()) schedule();
    },
    forgotten() {
      arrived = [];
      bus.forget();
      if (bus.isWatched()) schedule();
    },
    reset: (reason) => bus.publish(resetBecause(reason)),
    close() {
      if (sweep) clearInterval(sweep);
      if (timer) clearTimeout(timer);
      if (workTimer) clearTimeout(workTimer);
    },
  };
}

const resetBecause = (reason: string): StreamMessage => ({ type: 'reset', data: { reason } });

const isOfMemory = (change: Change): change is MemoryRef => change.kind !== 'session' && change.kind !== 'all';
