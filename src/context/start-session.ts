// The answer to a starting session: first what still waits for its project, then what it is given, and what the person reads, each once.
import type { Database } from 'bun:sqlite';
import { findAgent } from '../agents/agents.ts';
import { lastEventAt } from '../capture/events.ts';
import { isExcludedFile } from '../capture/exclusions.ts';
import { findSession, type Session } from '../capture/sessions.ts';
import { findSilence } from '../capture/silence.ts';
import type { Config } from '../config.ts';
import type { SessionEvent } from '../core/event.ts';
import { parseRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { type ProjectIdentity, settingsFor } from '../core/project.ts';
import { announceSilence } from '../core/silence.ts';
import { quoteWord } from '../core/text.ts';
import { readHead } from '../git/identity.ts';
import { createTouchedFiles, type TouchedFiles } from '../git/touched.ts';
import type { Log } from '../log.ts';
import { readTellableByIds } from '../memory/for-context.ts';
import { readLogHead } from '../memory/git-log.ts';
import { recordTelling } from '../memory/injections.ts';
import { hasObservations } from '../memory/observations.ts';
import { readRows } from '../memory/read.ts';
import { ruleWords } from '../memory/rules.ts';
import { isProven, placeOf } from '../projects/keys.ts';
import { identifyPlace, nameProject } from '../projects/place.ts';
import { findProjectBy, findWholeOf, type Project } from '../projects/projects.ts';
import { isApart } from '../projects/settle.ts';
import {
  count,
  dropNotice,
  hiddenNotice,
  isNoticed,
  listHiddenByAgents,
  ruleNotice,
  ruleOfferNotice,
  takeNotice,
} from '../store/counters.ts';
import { createKeptPages } from './kept-pages.ts';
import { type Piece, toToldPieces } from './page.ts';
import { foldAcross } from './rules.ts';
import { readSurroundings } from './surroundings.ts';
import { type TellDeps, type TellQuery, type Told, tellSession } from './tell.ts';

/** The part of the hook's second that may be spent on processing what came before. */
const WAIT_MS = 500;
/** And on what hooks saved while nobody answered: mostly nothing, and after a week without a worker more than anybody waits for. */
const DRAIN_MS = 200;
/** And on commits that came since. */
const COMMITS_MS = 150;
/** More sessions than anybody has at once. */
const MOST_WARNED = 1000;

type StartSessionDeps = TellDeps & {
  config: () => Config;
  turnQueue: { finishProject: (projectId: number, budgetMs: number, own?: string) => Promise<void> };
  spool: { settle: (ms: number) => Promise<void> };
  /** Looks whether a project is one that is known under another key. */
  settleNow?: (projectId: number) => Promise<void>;
  /** Has the commits read that came since the last time. */
  readCommits?: (cwd: string) => Promise<unknown>;
  /** Makes search ready: what the first prompt asks is soon looked for. */
  warm?: () => Promise<void>;
  /** Where the person's own instructions to the agent lie; null when nobody knows. */
  home: string | null;
  /** What is wrong and matters to the person; null mostly. */
  findWarning: () => string | null;
  /** A line for the person, told once; '' mostly. */
  notice: () => string;
  /** That the memory is damaged, or has been repaired, which is said until somebody heard it; '' mostly. */
  damage?: (isHeard: boolean) => string;
  /** Opens the viewer once; '' when there is no web door. */
  viewerLink: () => string;
  log: Log;
  clock: () => number;
  /** How many times as long as usual a session waits. */
  patience: number;
};

type StartCall = {
  host: string;
  cwd: string;
  event: SessionEvent | null;
  /** False when it was dropped: in a silence, or of our own observer. */
  isKept: boolean;
  isUnattended: boolean;
  /** When the hook gives up: who answers later is not heard. */
  until: number;
};
export type StartSession = {
  answer: (call: StartCall) => Promise<string>;
  /** Writes the page that the next session there will be told, if nothing comes in between. */
  prepare: (cwd: string) => Promise<void>;
};

export function createStartSession(given: StartSessionDeps): StartSession {
  const touched = createTouchedFiles();
  const deps = { ...given, touched };
  const { db, config, spool, clock, patience } = deps;
  const warned = new Set<string>();
  const tellNew = createKeptPages(deps);
  const tell: Tell = (query) => (query.since === null && isNew(query.session) ? tellNew(query) : tellSession(deps, query));

  async function answer(call: StartCall): Promise<string> {
    const { host, cwd, event } = call;
    const identity = identifyPlace(cwd, config());
    const render = findAgent(host)?.renderStart ?? (() => '');
    const answerSilence = () => {
      const [session, project] = [event?.session ?? null, nameProject(db, identity)];
      const silence = findSilence(db, config(), { session, cwd, project, at: event?.at ?? clock() });
      return silence && render({ context: '', message: announceSilence(silence, clock()) });
    };
    const silent = answerSilence();
    if (silent !== null) return silent;
    if (!call.isKept) return '';
    await spool.settle(DRAIN_MS * patience);
    const project = await findSettled(deps, identity);
    // It may have turned out to be one that is silent under another key.
    const silentNow = answerSilence();
    if (silentNow !== null) return silentNow;
    const place = { identity, project, session: event ? findSession(db, event.session) : null };
    const told = await write(deps, tell, call, place);
    // Whoever waits for the answer comes first.
    setImmediate(() => {
      if (config().promptRecall > 0) warmUp(deps);
      touched.learn(identity.root).catch((error) => deps.log.error('git could not be asked ahead', { error: String(error) }));
    });
    return render({ context: told.context, message: writeMessage(deps, call, { ...place, told, warning: warnOnce(event?.session) }) });
  }

  async function prepare(cwd: string): Promise<void> {
    const identity = identifyPlace(cwd, config());
    const project = findProjectBy(db, identity);
    if (project) await tellNew({ ...queryOf(deps, identity, project, { isAhead: true }), sessionId: 0, isAhead: true });
  }

  /** What is wrong, in one line and once in a session, if the person loses something by it. */
  function warnOnce(session: string | undefined): string {
    if (session !== undefined && warned.has(session)) return '';
    const warning = deps.findWarning();
    if (warning === null) return '';
    if (warned.size >= MOST_WARNED) warned.clear();
    if (session !== undefined) warned.add(session);
    return ` Attention: ${warning}`;
  }

  return { answer, prepare };
}

const warmUp = ({ warm, log }: StartSessionDeps) =>
  warm?.().catch((error) => log.error('search cannot be made ready', { error: String(error) }));

async function findSettled({ db, settleNow }: StartSessionDeps, identity: ProjectIdentity): Promise<Project | null> {
  const project = findProjectBy(db, identity);
  if (!project || !settleNow) return project;
  // To ask git takes long: only for one that may turn out to be known.
  if (hasObservations(db, project.id) && !isApart(db, project.id)) return project;
  await settleNow(project.id);
  return findProjectBy(db, identity);
}

type Place = { identity: ProjectIdentity; project: Project | null; session: Session | null };

type Tell = (query: TellQuery & { root: string; session: Session | null }) => Promise<Told>;

/** Nothing is listed of it, so what it is told does not depend on which it is. */
const isNew = (session: Session | null) =>
  !session || (session.status === 'initialized' && session.promptCounter === 0 && session.title === null);

/** What waits is processed first; git is asked meanwhile where the session stands. */
async function write(
  deps: StartSessionDeps & Asked,
  tell: Tell,
  { cwd, event }: StartCall,
  { identity, project, session }: Place,
): Promise<Told> {
  const { db, turnQueue, patience } = deps;
  const { root } = identity;
  const query = queryOf(deps, identity, project);
  if (project)
    await Promise.all([turnQueue.finishProject(project.id, WAIT_MS * patience, event?.session), readNewCommits(deps, cwd, root)]);
  const since = session && event ? lastKnownMoment(db, session.id, event) : null;
  const told = await tell({ ...query, session, sessionId: session?.id ?? 0, since });
  if (session && event) setImmediate(() => remember(deps, session.id, event, told));
  return told;
}

type Asked = { touched: TouchedFiles };

function queryOf(deps: StartSessionDeps & Asked, identity: ProjectIdentity, project: Project | null, { isAhead = false } = {}) {
  const { db, config, home, touched } = deps;
  const { root, name } = identity;
  const settings = settingsFor(config(), nameProject(db, identity));
  const { excludePaths } = settings;
  const isExcluded = (path: string) => isExcludedFile({ excludePaths, root, cwd: root }, path);
  const surroundings = readSurroundings(root, { home, isExcluded, hasExcluded: excludePaths.length > 0, touched, isAhead });
  return { project: { id: project?.id ?? 0, name: project?.name ?? name }, root, settings, surroundings };
}

/** If that is soon done. */
async function readNewCommits({ db, config, readCommits, log, patience }: StartSessionDeps, cwd: string, root: string): Promise<void> {
  if (!readCommits || config().gitCommits === 0 || readHead(root).commit === readLogHead(db, root)) return;
  await Promise.race([readCommits(cwd), Bun.sleep(COMMITS_MS * patience)]).catch((error) =>
    log.warn('new commits could not be read', { error: String(error) }),
  );
}

/** A resumed or forked session still has in its history what it was told: only what came later is new to it. */
function lastKnownMoment(db: Database, sessionId: number, event: SessionEvent): number | null {
  if (event.kind !== 'start' || (event.source !== 'resume' && event.source !== 'fork')) return null;
  if (event.secondsSinceLastResponse === null) return lastEventAt(db, sessionId, event.id) ?? event.at;
  // The host counts whole seconds, and the last words of its parent are no news to a fork.
  const slackMs = event.source === 'fork' ? FORK_SLACK_MS : 0;
  return event.at - event.secondsSinceLastResponse * 1000 + slackMs;
}

const FORK_SLACK_MS = 1500;

function remember({ db, clock, log }: StartSessionDeps, sessionId: number, event: SessionEvent, { pieces, damaged }: Told): void {
  const source = event.kind === 'start' ? event.source : event.kind;
  const telling = { sessionId, occasion: 'start', about: null, source, at: clock() } as const;
  const keep = () => {
    // That it was compacted counts, too: what was told before is gone.
    if (pieces.length > 0 || source === 'compact' || source === 'clear') recordTelling(db, { ...telling, pieces: toToldPieces(pieces) });
    if (damaged > 0) count(db, 'damaged-row', clock(), damaged);
  };
  try {
    db.transaction(keep).immediate();
  } catch (error) {
    // The database is full or locked, or the worker ends: it was told all the same.
    log.error('what was added to a context could not be recorded', { error: String(error) });
  }
}

type Said = Place & { told: Told; warning: string };

/** An answer this close to the end may come too late: what it says is said once more. */
const ON_ITS_WAY_MS = 200;

/** What is said once must reach somebody. */
function writeMessage(deps: StartSessionDeps, { event, isUnattended, until }: StartCall, said: Said): string {
  const { db, clock } = deps;
  const { identity, project, session, told, warning } = said;
  const isFirstWord = event?.kind !== 'start' || event.source === 'startup';
  const isHeard = !isUnattended && clock() < until - ON_ITS_WAY_MS;
  const tip = session && isFirstWord && isHeard ? `${sayTip(db, told.message, clock())}${deps.notice()}` : '';
  const hidden = sayHidden(db, session !== null && isHeard);
  const rules = session && isHeard ? sayRules(db, told.pieces, project?.id ?? 0, clock()) : '';
  const joined = session && project && isFirstWord && clock() < until ? sayJoined(db, identity, project, clock()) : '';
  const damage = deps.damage?.(isHeard) ?? '';
  // That there is no memory yet would not be true.
  const news = damage && !told.context ? '' : told.message;
  const message = `${damage}${joined}${news}${rules}${warning}${hidden}${tip}`.trim();
  const link = message && !isUnattended ? deps.viewerLink() : '';
  return link ? `${message} Viewer: ${link}` : message;
}

/** More would be a page. */
const MOST_RULES = 3;
const MOST_HIDDEN = 5;
const LONGEST_NAME = 200;

/** That a folder has become part of a known project by its history, and how to undo it. */
function sayJoined(db: Database, here: ProjectIdentity, project: Project, now: number): string {
  const whole = findWholeOf(db, project.id) ?? project;
  const place = placeOf(here);
  if (here.remote === null || !isProven(db, whole.id, here) || !takeNotice(db, `joined:${place}`, now)) return '';
  const name = `${plainLine(whole.name, LONGEST_NAME)} (${plainLine(whole.key, LONGEST_NAME)})`;
  return (
    `This folder joined the project ${name}, whose history it holds; ` +
    `\`claude-mem projects separate ${quoteWord(place)}\` makes it one of its own. `
  );
}

/** Some of the rules that nobody has read of yet, and one that was said in several projects. */
function sayRules(db: Database, pieces: Piece[], projectId: number, now: number): string {
  const given = pieces.flatMap(({ section, record }) => (section === 'rules' && record ? [record.ref.id] : []));
  const fresh = given.filter((id) => !isNoticed(db, ruleNotice(id)));
  if (fresh.length === 0) return '';
  const next = fresh.slice(0, MOST_RULES);
  const taken = db.transaction(() => next.filter((id) => takeNotice(db, ruleNotice(id), now))).immediate();
  if (taken.length === 0) return '';
  const words = readTellableByIds(db, taken).map((one) => `#${one.id} “${plainLine(ruleWords(one), 120)}”`);
  const later = fresh.length - next.length;
  const more = later > 0 ? ` (the next ${later > 1 ? `${later} are` : 'one is'} shown with your next sessions)` : '';
  const remove = `To remove ${taken.length > 1 ? 'one' : 'it'}: claude-mem rules remove ${taken.length > 1 ? 'ID' : taken[0]}.`;
  const offer = offerEverywhere(db, projectId, now);
  return ` New ${taken.length > 1 ? 'rules' : 'rule'} of yours, given to each session: ${words.join(', ')}${more}. ${remove}${offer}`;
}

/** Once for each, in whatever words it is said again: it is known by where it was said first. */
function offerEverywhere(db: Database, projectId: number, now: number): string {
  const offers = foldAcross(db, projectId).map(({ rule: { newest, older }, row }) => ({
    ...row,
    notice: ruleOfferNotice((older.at(-1) ?? newest).id),
  }));
  const offer = offers.find(({ notice }) => !isNoticed(db, notice));
  if (!offer || !takeNotice(db, offer.notice, now)) return '';
  return ` You said “${plainLine(offer.text, 80)}” in several projects. To apply it in all: claude-mem rules promote ${offer.id}.`;
}

/** What agents hid: a session that nobody attends repeats it. */
function sayHidden(db: Database, isHeard: boolean): string {
  const ids = listHiddenByAgents(db);
  const refs = ids.flatMap((id) => parseRef(id) ?? []);
  const rows = readRows(db, refs, { withHidden: true });
  const still = ids.flatMap((id) => rows.get(id) ?? []);
  if (isHeard) for (const id of ids) dropNotice(db, hiddenNotice(id));
  if (still.length === 0) return '';
  const first = still.slice(0, MOST_HIDDEN);
  const named = first.map(({ id, title }) => `#${id} “${plainLine(title, 80)}”`).join(', ');
  const more = still.length > MOST_HIDDEN ? ` and ${still.length - MOST_HIDDEN} more` : '';
  const undo = `claude-mem forget --undo ${first.map(({ id }) => id).join(' ')}`;
  return ` An agent hid ${named}${more}. To show again: ${undo}. All that is hidden: claude-mem forget --hidden.`;
}

/** The greeting of a new project says it, too. */
function sayTip(db: Database, message: string, now: number): string {
  if (!message || message.includes('<private>')) return '';
  return takeNotice(db, 'private-tip', now) ? ' Tip: text inside <private>…</private> is never kept.' : '';
}
