// One memory of another claude-mem after the other: through the door, and into the store if it is not there already.
import { bareEvidence, type Evidence } from '../../core/evidence.ts';
import { isInjection } from '../../core/instruction-like.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { TRUST } from '../../core/trust.ts';
import { describeMatch, ensureMatched, type MatchedProject, matchProject } from '../../importer/peer/match-project.ts';
import type { PeerMemory, PeerSession } from '../../importer/peer/peer-memory.ts';
import { count } from '../../store/counters.ts';
import { insertObservation, readableText } from '../../store/memories/observations.ts';
import { insertSummary } from '../../store/memories/summaries.ts';
import { getProject } from '../../store/projects/projects.ts';
import { restoreSessionWords } from '../../store/sessions/session-words.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { markSilenced, wasSilenced } from '../../store/sessions/silences.ts';
import {
  findOneMemory,
  findTurn,
  hasPrompt,
  insertImportedPrompt,
  insertImportedSession,
  stretchSession,
  wasCaptured,
} from '../../store/transfer/imported.ts';
import { admitObservation, admitPrompt, admitSummary, type MemoryPlace, refuseMemory } from './admit.ts';
import { createKnownMemories } from './known-memories.ts';
import { asImportedDraft } from './not-mine.ts';
import { createPeerReport, type PeerReport } from './peer-report.ts';
import type { TakerDeps } from './taken.ts';

export type PeerIntake = Pick<PeerReport, 'counts' | 'say'> & {
  /** Before each transaction: since the last one somebody may have forgotten a session or merged two projects. */
  begin: () => void;
  /** Inside a transaction. */
  take: (memory: PeerMemory) => void;
  /** Gives the sessions their names, as long as there is time. True when nothing is left to do. */
  finish: (until: number) => boolean;
};

/** Where a session of theirs belongs. Without a session of ours nothing of it came in so far. */
type Home = { matched: MatchedProject; sessionId: number | null };
type Memory = Exclude<PeerMemory, { kind: 'session' | 'unreadable' }>;

export function createPeerIntake({ db, door, clock, asMine }: TakerDeps): PeerIntake {
  const report = createPeerReport();
  const known = createKnownMemories(db);
  const homes = new Map<string, Home>();
  const projects = new Map<string, MatchedProject>();
  /** Sessions that are to be called after what they hold. */
  const unnamed = new Set<number>();

  const match = (name: string): MatchedProject => {
    const matched = projects.get(name) ?? matchProject(db, name);
    projects.set(name, matched);
    return matched;
  };

  const ensure = (matched: MatchedProject): number => {
    if (matched.isUnmatched) report.unmatched(matched.identity.name);
    return ensureMatched(db, matched, clock());
  };

  const findHome = (session: PeerSession): Home => {
    const known = homes.get(session.id);
    if (known) return known;
    const here = findSession(db, session.id);
    const project = here && getProject(db, here.projectId);
    const home: Home = {
      matched: project ? describeMatch(project) : match(session.project),
      sessionId: here?.id ?? null,
    };
    if (here && here.title === null) unnamed.add(here.id);
    homes.set(session.id, home);
    return home;
  };

  /** Refused by where and when it was, whatever it says. */
  const refuse = (session: PeerSession, matched: MatchedProject, at: number): MemoryPlace | null => {
    const place = placeOf(session, matched, at);
    const reason = session.project === OBSERVERS_OWN ? 'own-observer' : refuseMemory(db, place, door());
    if (reason === null) return place;
    // As when a hook brings it: what sums up the whole session is not kept any more.
    if (reason !== 'forgotten' && reason !== 'own-observer') markSilenced(db, session.id, at);
    drop(reason);
    return null;
  };

  const isCaptured = ({ sessionId }: Home) => sessionId !== null && wasCaptured(db, sessionId);

  const drop = (reason: string) => {
    report.refused(reason);
    count(db, `dropped:${reason}`, clock());
  };

  const open = (session: PeerSession, home: Home): number => {
    if (home.sessionId !== null) return home.sessionId;
    const { host, id: hostSessionId, startedAt, completedAt } = session;
    const place = placeOf(session, home.matched, startedAt);
    const title = session.title === null || !asMine ? null : (admitPrompt(db, session.title, place)?.text ?? null);
    const projectId = ensure(home.matched);
    const { root } = home.matched.identity;
    insertImportedSession(db, { host, hostSessionId, projectId, root, title: title || null, startedAt, completedAt });
    const made = findSession(db, hostSessionId);
    if (!made) throw new Error(`session ${hostSessionId} vanished while it was stored`);
    home.sessionId = made.id;
    unnamed.add(made.id);
    report.came('sessions');
    return made.id;
  };

  const takeSession = (session: PeerSession) => {
    const home = findHome(session);
    if (home.sessionId !== null) report.known('sessions');
    else if (refuse(session, home.matched, session.startedAt)) open(session, home);
  };

  const takeMemory = (memory: Memory) => {
    const { session } = memory;
    const home = findHome(session);
    // The user's words, and what is told of a session as its own; and nobody else was in one that was captured here.
    if (!asMine && (memory.kind !== 'observation' || isCaptured(home))) return drop('not-mine');
    const own = memory.project === session.project ? home.matched : match(memory.project);
    const at = memory.kind === 'prompt' ? memory.at : memory.draft.at;
    const place = refuse(session, own, at);
    if (!place) return;
    if (memory.kind === 'prompt') takePrompt(memory, home, place);
    else takeDraft(memory, { home, own, place });
  };

  const takePrompt = (memory: Extract<Memory, { kind: 'prompt' }>, home: Home, place: MemoryPlace) => {
    const admitted = admitPrompt(db, memory.text, place);
    if (!admitted) return drop(LEFT_OUT);
    const { promptNumber, at } = memory;
    const prompt = { ...admitted, promptNumber, at, sessionId: open(memory.session, home) };
    if (hasPrompt(db, prompt)) return report.known('prompts');
    insertImportedPrompt(db, prompt);
    stretchSession(db, prompt.sessionId, at);
    report.came('prompts');
  };

  type Draft = Extract<Memory, { kind: 'observation' | 'summary' }>;
  const takeDraft = (memory: Draft, { home, own, place }: { home: Home; own: MatchedProject; place: MemoryPlace }) => {
    const { session, promptNumber } = memory;
    // Both programs may have watched: here nothing of a private turn is kept, whoever tells of it.
    const turn = home.sessionId === null ? null : findTurn(db, home.sessionId, promptNumber, place.at);
    if (turn?.isPrivate) return drop('private');
    // It sums up more than its own turn.
    if (memory.kind === 'summary' && wasSilenced(db, session.id)) return drop('silenced');
    const candidate = admit(memory, place);
    if (!candidate) return drop(LEFT_OUT);
    const [sessionId, projectId] = [open(session, home), ensure(own)];
    const many = memory.kind === 'summary' ? 'summaries' : 'observations';
    const isKnown = known.isKnown({ ...candidate, sessionId, projectId });
    const number = turn?.promptNumber ?? promptNumber ?? 0;
    const owner = { sessionId, projectId, promptNumber: number, batchId: null, isProvisional: false };
    if (isKnown) return report.known(many);
    if (candidate.kind === 'observation') insertObservation(db, owner, candidate.draft, judge(candidate.draft));
    else insertSummary(db, owner, candidate.draft);
    stretchSession(db, sessionId, place.at);
    report.came(many);
  };

  const admit = (memory: Draft, place: MemoryPlace) => {
    if (memory.kind === 'observation') {
      const said = asMine ? memory.draft : asImportedDraft(memory.draft);
      const draft = admitObservation(db, said, place, door());
      return draft && { kind: memory.kind, draft };
    }
    const draft = admitSummary(db, memory.draft, place, door());
    return draft && { kind: memory.kind, draft };
  };

  return {
    ...report,
    begin: () => {
      homes.clear();
      projects.clear();
    },
    take: (memory) => {
      if (memory.kind === 'unreadable') report.unreadable();
      else if (memory.kind === 'session') takeSession(memory.session);
      else takeMemory(memory);
    },
    finish: (until) => {
      for (const sessionId of unnamed) {
        const memory = findOneMemory(db, sessionId);
        if (memory) restoreSessionWords(db, [memory]);
        unnamed.delete(sessionId);
        if (performance.now() >= until) break;
      }
      return unnamed.size === 0;
    },
  };
}

const placeOf = (session: PeerSession, { identity }: MatchedProject, at: number): MemoryPlace => ({
  project: identity,
  session: session.id,
  cwd: identity.root,
  at,
});

/** The other program's observer was a session, too, and some versions kept it like any other. */
const OBSERVERS_OWN = 'observer-sessions';
/** Nobody is told which of the three: it would tell what was forgotten. */
const LEFT_OUT = 'private-excluded-or-forgotten';

/** What it rests on is not known: what can be meant for nobody but an agent is told to none. */
function judge(draft: ObservationDraft): Evidence {
  const evidence = bareEvidence(draft);
  return isInjection(readableText(draft)) ? { ...evidence, trust: TRUST.web, isQuarantined: true } : evidence;
}
