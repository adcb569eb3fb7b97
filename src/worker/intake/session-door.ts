// The door for programs that tell over HTTP what happens in a session: the same one that hooks come through.
import type { Database } from 'bun:sqlite';
import type { Envelope } from '../../core/envelope.ts';
import { count } from '../../store/counters.ts';
import { countSessionQueue, eventStatus, quarantineEvent } from '../../store/events/session-queue.ts';
import { projectName } from '../../store/projects/projects.ts';
import { promptNumberOf } from '../../store/sessions/numbered-prompts.ts';
import { failSession, findSession, type Session } from '../../store/sessions/sessions.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import type { SilenceSettings } from '../silence/silence.ts';
import { readArrival } from './arrival.ts';
import { type Ingested, ingest } from './ingest.ts';
import { placeSession } from './place-session.ts';
import { makeEnvelope, type Said } from './session-envelope.ts';

export type SessionDoorDeps = {
  db: Database;
  config: () => DoorSettings & SilenceSettings;
  clock: () => number;
  /** The door of hooks: resolves after the commit, rejects when it could not be stored. */
  take: (envelope: Envelope) => Promise<Ingested>;
};

/** `skipped-tool`: kept for the record only. `left-out`: in a silence, excluded, or forgotten. */
export type WhyNot = 'private' | 'skipped-tool' | 'left-out';

export type Told = {
  /** Null when it waits to be distilled, or is known already. */
  whyNot: WhyNot | null;
  /** Null when nothing is kept of it. */
  session: Session | null;
  project: string | null;
  promptNumber: number;
  queueLength: number;
};

export type SessionDoor = {
  /** `session` is the host's id; one that is not known is created. */
  tell: (session: string, said: Said) => Promise<Told>;
  /** For a session by a number that nobody has: kept for whoever looks for it, and distilled by nobody. */
  setAside: (id: number, said: Said) => Told;
};

export function createSessionDoor({ db, config, clock, take }: SessionDoorDeps): SessionDoor {
  const envelopeFor = (session: string, said: Said): Envelope | null => {
    const at = clock();
    const place = placeSession(db, config(), { ...said, session, at });
    if (place.kind === 'placed') return makeEnvelope(db, said, { session, cwd: place.cwd, at });
    count(db, `dropped:${place.reason}`, at);
    return null;
  };

  return {
    async tell(session, said) {
      const envelope = db.transaction(() => envelopeFor(session, said)).immediate();
      if (!envelope) return answerFor(db, session, 'left-out', null);
      return answerFor(db, session, whyNot(db, await take(envelope)), envelope);
    },

    setAside(id, said) {
      const session = `unknown:${id}`;
      const keep = (): Told => {
        const envelope = envelopeFor(session, said);
        if (!envelope) return answerFor(db, session, 'left-out', null);
        const ingested = ingest(db, readArrival(envelope), config());
        if (quarantineEvent(db, envelope.id, `there is no session ${id}`))
          count(db, 'quarantined:unknown-session', envelope.receivedAt);
        const row = findSession(db, session);
        if (row) failSession(db, row.id);
        return answerFor(db, session, whyNot(db, ingested), envelope);
      };
      return db.transaction(keep).immediate();
    },
  };
}

function whyNot(db: Database, { arrival, known, happened }: Ingested): WhyNot | null {
  if (!known) return happened ? 'private' : 'left-out';
  if (arrival.kind === 'event' && arrival.isPrivate) return 'private';
  const isSkipped = known.event.kind === 'tool' && eventStatus(db, known.event.id) === 'skipped';
  return isSkipped ? 'skipped-tool' : null;
}

function answerFor(db: Database, name: string, reason: WhyNot | null, envelope: Envelope | null): Told {
  const session = findSession(db, name);
  if (!session) return { whyNot: reason, session, project: null, promptNumber: 0, queueLength: 0 };
  return {
    whyNot: reason,
    session,
    project: projectName(db, session.projectId),
    promptNumber: numberOf(db, session, envelope),
    queueLength: countSessionQueue(db, session.id),
  };
}

function numberOf(db: Database, session: Session, envelope: Envelope | null): number {
  const { prompt_id: promptId } = (envelope?.payload ?? {}) as { prompt_id?: string };
  return (promptId && promptNumberOf(db, session.id, promptId)) || session.promptCounter;
}
