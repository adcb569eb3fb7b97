// Exactly what would be added to the context of a session now, and why; and what was added to one.
import type { Database } from 'bun:sqlite';
import { isExcludedFile } from '../capture/exclusions.ts';
import { findSessionsStarting, hostSessionId } from '../capture/sessions.ts';
import { findSilence } from '../capture/silence.ts';
import type { Config } from '../config.ts';
import { AskError } from '../core/ask-error.ts';
import { formatRef } from '../core/memory.ts';
import { type ProjectNames, relativePath, settingsFor } from '../core/project.ts';
import type { PreviewParameters } from '../core/shapes/asked.ts';
import type { LeftOut, Occasion, PreviewAnswer, ReplayAnswer, ToldSettings } from '../core/shapes/context.ts';
import { announceSilence } from '../core/silence.ts';
import { estimateTokens } from '../core/text.ts';
import { createTouchedFiles } from '../git/touched.ts';
import { spellFolder, spellInTree } from '../git/work-file.ts';
import { listHiddenTitles } from '../memory/for-context.ts';
import { listTellings, type ReplayedTelling } from '../memory/injections.ts';
import { hasObservations } from '../memory/observations.ts';
import { listAliases } from '../projects/keys.ts';
import { findFolder, findNamed, nameKnown } from '../projects/place.ts';
import { projectName } from '../projects/projects.ts';
import { repeats } from '../search/alike.ts';
import type { PromptNote } from './found-notes.ts';
import type { ContextSettings } from './gather.ts';
import { writeFileNote } from './known-notes.ts';
import { describePieces, joinPieces, type Piece } from './page.ts';
import { NOWHERE, readSurroundings } from './surroundings.ts';
import { type TellDeps, tellSession } from './tell.ts';

export type PreviewDeps = TellDeps & {
  db: Database;
  config: () => Config;
  home: string | null;
  promptNote: PromptNote;
  /** Reads the commits that came since the last time, as for a session that starts. */
  readCommits?: (cwd: string) => Promise<unknown>;
  clock: () => number;
};

type Place = ProjectNames & { id: number; cwd: string };

export async function previewContext(deps: PreviewDeps, asked: PreviewParameters): Promise<PreviewAnswer> {
  const { db, config, clock } = deps;
  const place = findPlace(db, asked);
  const own = settingsFor(config(), place);
  const settings = { ...own, ...readAsked(asked, own) };
  const occasion: Occasion = asked.prompt ? 'first-prompt' : asked.file ? 'edit' : 'start';
  const answer = {
    occasion,
    project: place.name,
    budgetTokens: settings.contextTokens,
    settings: describeSettings(own),
  };
  const silence = findSilence(db, config(), { session: null, cwd: place.cwd, project: place, at: clock() });
  if (silence) return { ...answer, ...show(db, []), note: announceSilence(silence, clock()) };
  await deps.readCommits?.(place.cwd);
  const { pieces, leftOut } = await write(deps, place, asked, settings);
  const note = pieces.length > 0 ? null : sayNothing(db, place, occasion, settings);
  return { ...answer, ...show(db, pieces, leftOut), note };
}

/** What was asked for goes before what is set. */
const readAsked = (asked: PreviewParameters, own: ContextSettings): ContextSettings => ({
  contextTokens: asked.tokens ?? own.contextTokens,
  contextSections: asked.sections ?? own.contextSections,
  contextTypes: asked.types ?? own.contextTypes,
  contextIndex: asked.index ?? own.contextIndex,
  contextFull: asked.full ?? own.contextFull,
  contextSessions: asked.sessions ?? own.contextSessions,
});

const describeSettings = (own: ContextSettings): ToldSettings => ({
  tokens: own.contextTokens,
  sections: own.contextSections,
  types: own.contextTypes,
  index: own.contextIndex,
  full: own.contextFull,
  sessions: own.contextSessions,
});

/** Why nothing would be added. */
function sayNothing(db: Database, { id }: Place, occasion: Occasion, { promptRecall, fileContext }: Config): string {
  if (occasion === 'first-prompt' && promptRecall === 0) return 'Nothing would be added: promptRecall is 0.';
  if (occasion === 'edit' && !fileContext) return 'Nothing would be added: fileContext is off.';
  if (occasion === 'start' && hasObservations(db, id)) {
    return 'Nothing would be added: what is remembered here is incorrect, replaced or untrusted, or the settings leave it out.';
  }
  return NOTHING[occasion];
}

const NOTHING: Record<Occasion, string> = {
  start: 'Nothing would be added: nothing is remembered here yet.',
  'first-prompt': 'Nothing would be added: nothing that is remembered here matters enough for this prompt.',
  edit: 'Nothing would be added: no decision, pitfall or failed attempt is remembered about this file.',
  error: 'Nothing would be added.',
};

function findPlace(db: Database, { cwd, project }: PreviewParameters): Place {
  if (project !== undefined) {
    const found = findNamed(db, project);
    return { ...found, others: listAliases(db, found.id), cwd: found.root };
  }
  if (cwd === undefined) throw new AskError('invalid', 'It is not said for which project.', 'Give cwd or project.');
  const { identity, project: known } = findFolder(db, cwd);
  return { ...(known ? nameKnown(db, known, identity) : identity), id: known?.id ?? 0, cwd };
}

async function write(deps: PreviewDeps, place: Place, asked: PreviewParameters, settings: Config) {
  const { id: projectId, root, cwd, name } = place;
  const nothing: LeftOut[] = [];
  const isExcluded = (path: string) => isExcludedFile({ excludePaths: settings.excludePaths, root, cwd: root }, path);
  if (asked.prompt) {
    if (settings.promptRecall === 0) return { pieces: [], leftOut: nothing };
    const query = { prompt: asked.prompt, projectId, root, sessionId: 0, isExcluded };
    return { pieces: await deps.promptNote(query), leftOut: nothing };
  }
  if (asked.file) {
    if (!settings.fileContext || isExcluded(asked.file)) return { pieces: [], leftOut: nothing };
    const path = relativePath(spellInTree(asked.file, root), root, spellFolder(cwd, root));
    return { pieces: await writeFileNote(deps, { projectId, sessionId: 0, root, path, isExcluded }), leftOut: nothing };
  }
  const surroundings = root
    ? await readSurroundings(root, {
        home: deps.home,
        isExcluded,
        hasExcluded: settings.excludePaths.length > 0,
        touched: createTouchedFiles(),
      })
    : NOWHERE;
  const project = { id: projectId, name };
  const query = { project, sessionId: 0, since: null, settings, surroundings };
  return tellSession(deps, query);
}

function show(db: Database, pieces: Piece[], leftOut: LeftOut[] = []) {
  const text = joinPieces(pieces);
  const records = describePieces(db, pieces);
  return { text, tokens: estimateTokens(text), characters: text.length, records, leftOut };
}

/** A summary says what the memories of its turn say: also those that are hidden now. */
function saysHidden(db: Database, { ref, text }: ReplayedTelling['pieces'][number]): boolean {
  if (text === null || (ref?.kind !== 'summary' && ref?.kind !== 'session')) return false;
  return listHiddenTitles(db, { kind: ref.kind, id: ref.id }).some((title) => repeats(text, title));
}

/** By the host's id of a session, or the beginning of it. */
export function replaySession(db: Database, name: string): ReplayAnswer {
  const [session, ...others] = findSessionsStarting(db, name);
  if (!session) {
    throw new AskError('unknown', `There is no session ${name.slice(0, 60)}.`, '`claude-mem sessions` lists them.');
  }
  if (others.length > 0) {
    const candidates = [session, ...others].map((one) => one.hostSessionId);
    throw new AskError('ambiguous', `Several sessions begin with ${name.slice(0, 60)}.`, 'Give more of it.', candidates);
  }
  return {
    session: session.hostSessionId,
    project: projectName(db, session.projectId),
    tellings: listTellings(db, session.id).map((telling) => replay(db, telling)),
  };
}

function replay(db: Database, telling: ReplayedTelling): ReplayAnswer['tellings'][number] {
  const { occasion, about, at } = telling;
  const pieces = telling.pieces.map((piece) => (saysHidden(db, piece) ? { ...piece, text: null } : piece));
  const left = pieces.flatMap(({ text }) => (text === null ? [] : [{ text }]));
  return {
    occasion,
    about,
    at,
    text: joinPieces(left),
    records: pieces.flatMap(({ ref, section, freshness, reason }) => {
      if (!ref) return [];
      const id = ref.kind === 'session' ? hostSessionId(db, ref.id) : formatRef({ kind: ref.kind, id: ref.id });
      return [{ id, kind: ref.kind, section, freshness, reason }];
    }),
    missing: pieces.filter(({ ref, text }) => ref !== null && text === null).length,
  };
}
