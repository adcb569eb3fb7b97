// What a session is given in the middle of it: with a prompt, before it edits a file, and after an error that was seen before.
import { isExcludedFile } from '../capture/exclusions.ts';
import { createPlaceFile } from '../capture/other-repositories.ts';
import { findSession, type Session } from '../capture/sessions.ts';
import { isSilent, projectOfSession } from '../capture/silence.ts';
import type { Config } from '../config.ts';
import type { ToolEvent } from '../core/event.ts';
import { relativePath, settingsFor } from '../core/project.ts';
import type { Occasion } from '../core/shapes/context.ts';
import { spellFolder, spellInTree } from '../git/work-file.ts';
import { countNotes, recordTelling, wasTold } from '../memory/injections.ts';
import { findErrorNote } from './error-note.ts';
import type { PromptNote } from './found-notes.ts';
import { type FileQuery, recallFile, writeFileNote } from './known-notes.ts';
import { joinPieces, type Piece, toToldPieces } from './page.ts';
import { readQuestion } from './question.ts';
import type { TellDeps } from './tell.ts';

/** What the settings and silences say of where a session works. */
type Rules = {
  /** The settings of the project that a session is of. */
  settingsOf: (session: Session) => Config;
  isSilent: (session: Session, at: number) => boolean;
  /** Whether of a path, absolute or relative to the root, nothing is kept or told. */
  exclusionsOf: (session: Session) => (path: string) => boolean;
  /** Where a file is known from another project than the session's; null where it is not. */
  placeFile: (session: Session, file: string) => Pick<FileQuery, 'projectId' | 'root' | 'path'> | null;
};

type NotesDeps = TellDeps & {
  rules: Rules;
  promptNote: PromptNote;
  clock: () => number;
};

/** Until when the hook waits, epoch ms: what comes later is heard by nobody, and counts as not told. */
type Until = { until: number };

export type Notes = {
  /** The session as it was before this prompt. */
  withPrompt: (event: { text: string }, session: Session, wait: Until) => Promise<string>;
  beforeEdit: (question: { session: string; cwd: string; file: string }, wait: Until) => Promise<string>;
  afterError: (event: Pick<ToolEvent, 'error'>, session: Session, wait: Until) => Promise<string>;
};

export function readRules({ db, config, clock }: Pick<NotesDeps, 'db' | 'clock'> & { config: () => Config }): Rules {
  /** A session of a project that is gone has only the names of its folder. */
  const placeOf = (session: Session) => projectOfSession(db, session) ?? { key: session.root, name: session.root, root: session.root };
  const settingsOf = (session: Session) => {
    const all = config();
    // Mostly no project has settings of its own: then nobody has to ask which one it is.
    return Object.keys(all.projects).length === 0 ? all : settingsFor(all, placeOf(session));
  };
  return {
    settingsOf,
    isSilent: (session, at) => isSilent(db, config(), { session: session.hostSessionId, cwd: session.root, project: placeOf(session), at }),
    exclusionsOf: (session) => {
      const place = { ...settingsOf(session), root: session.root, cwd: session.root };
      return (path) => isExcludedFile(place, path);
    },
    placeFile: createPlaceFile({ db, config, clock }),
  };
}

export function createNotes({ db, rules, promptNote, checkFreshness, clock }: NotesDeps): Notes {
  const placeOf = (session: Session) => {
    const { projectId, root, id: sessionId } = session;
    return { projectId, root, sessionId, isExcluded: rules.exclusionsOf(session) };
  };

  type Tellable = { occasion: Occasion; about: string | null; pieces: Piece[] };
  /** Once: several tools may fail in the same moment. */
  const tell = (session: Session, { occasion, about, pieces }: Tellable, { until }: Until): string => {
    if (pieces.length === 0 || clock() > until) return '';
    const telling = { sessionId: session.id, occasion, about, source: '', at: clock() };
    const isTold = db
      .transaction(() => {
        if (about !== null && wasTold(db, telling)) return false;
        recordTelling(db, { ...telling, pieces: toToldPieces(pieces) });
        return true;
      })
      .immediate();
    return isTold ? joinPieces(pieces) : '';
  };

  return {
    async withPrompt({ text }, session, wait) {
      const { promptRecall: most } = rules.settingsOf(session);
      const note = { sessionId: session.id, occasion: 'first-prompt', about: null } as const;
      if (most === 0 || readQuestion(text) === null || countNotes(db, note) >= most) return '';
      return tell(session, { ...note, pieces: await promptNote({ prompt: text, ...placeOf(session) }) }, wait);
    },
    async beforeEdit({ session: hostSessionId, cwd, file }, wait) {
      const session = findSession(db, hostSessionId);
      if (!session) return '';
      const { id: sessionId, projectId, root } = session;
      const about = relativePath(spellInTree(file, root), root, spellFolder(cwd, root));
      const places = [rules.placeFile(session, about), { projectId, root, path: about }].filter((one) => one !== null);
      if (!rules.settingsOf(session).fileContext || wasTold(db, { sessionId, occasion: 'edit', about })) return '';
      const isExcluded = rules.exclusionsOf(session);
      const found = places.values().map((place) => {
        const query = { ...place, sessionId, isExcluded };
        return { query, known: recallFile(db, query) };
      });
      const first = found.find(({ known }) => known.length > 0);
      // Mostly there is nothing to say: then nothing else is looked at.
      if (!first || rules.isSilent(session, clock()) || isExcluded(file)) return '';
      const pieces = await writeFileNote({ db, checkFreshness }, first.query, first.known);
      return tell(session, { occasion: 'edit', about, pieces }, wait);
    },
    async afterError({ error }, session, wait) {
      if (error === null || !rules.settingsOf(session).errorRecall) return '';
      const note = findErrorNote({ db, checkFreshness }, { error, ...placeOf(session) });
      if (!note || wasTold(db, { sessionId: session.id, occasion: 'error', about: note.mark })) return '';
      const pieces = await note.write();
      return tell(session, { occasion: 'error', about: note.mark, pieces }, wait);
    },
  };
}

/** A prompt waits no longer for its note. */
const NOTE_MS = 150;

type Waiting = { patience: number; latencies: { note: (stage: 'note' | 'lateNote', ms: number) => void } };

/** What is not ready by then is left out, and counted. */
export const inTime =
  (write: PromptNote, { patience, latencies }: Waiting): PromptNote =>
  async (query) => {
    const startedAt = performance.now();
    const note = write(query);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, NOTE_MS * patience, null);
    });
    const pieces = await Promise.race([note, late]).finally(() => clearTimeout(timer));
    latencies.note(pieces === null ? 'lateNote' : 'note', performance.now() - startedAt);
    // Nobody waits for it any more: why it failed is said by whoever asks next.
    if (pieces === null) note.catch(() => undefined);
    return pieces ?? [];
  };
