// What becomes of one line of an export: added, known already, left out by the door, or not to be understood.
import type { Database } from 'bun:sqlite';
import { parseSource } from '../../core/correction.ts';
import type {
  CommitLine,
  DistrustedLine,
  ExportLine,
  ForgottenLine,
  ProjectLine,
  ReplacedLine,
} from '../../core/export.ts';
import type { MemoryRef } from '../../core/memory.ts';
import { importReplacement } from '../../memory/replacements.ts';
import { bury, isForgotten } from '../../store/forgetting/tombstones.ts';
import { findProject } from '../../store/projects/projects.ts';
import { importCommit, importProject } from '../../store/transfer/import-rows.ts';
import { distrust } from '../../store/trust/distrust.ts';
import { asImported, NOT_MINE } from './not-mine.ts';
import { createMemoryTaker } from './take-memory.ts';
import { ADDED, KNOWN, NO_PROJECT, type Taken, type TakerDeps } from './taken.ts';

/** Takes the lines of one file, in their order, inside a transaction. */
export type LineTaker = { take: (line: ExportLine) => Taken };

export function createLineTaker({ db, door, asMine }: TakerDeps): LineTaker {
  const memories = createMemoryTaker({ db, door, asMine });
  return {
    take(said) {
      const line = asMine ? said : asImported(said);
      if (!line) return NOT_MINE;
      switch (line.kind) {
        case 'project':
          return takeProject(db, line);
        case 'session':
          return memories.takeSession(line);
        case 'prompt':
          return memories.takePrompt(line);
        case 'turn':
          return memories.takeTurn(line);
        case 'observation':
          return memories.takeObservation(line);
        case 'summary':
          return memories.takeSummary(line);
        case 'replaced':
          return takeReplaced(db, line, memories.idOf);
        case 'commit':
          return takeCommit(db, line);
        case 'distrusted':
          return takeDistrusted(db, line);
        case 'forgotten':
          return takeForgotten(db, line);
      }
    },
  };
}

const tell = (isNew: boolean): Taken => (isNew ? ADDED : KNOWN);

function takeProject(db: Database, line: ProjectLine): Taken {
  const isNew = findProject(db, line.key) === null;
  importProject(db, line);
  return tell(isNew);
}

type IdOf = (ref: number) => { memory: MemoryRef; at: number } | undefined;

function takeReplaced(db: Database, { ref, by, at, ...said }: ReplacedLine, idOf: IdOf): Taken {
  const [older, newer] = [idOf(ref), idOf(by)];
  if (older === undefined || newer === undefined) return { kind: 'refused', reason: 'half' };
  const since = at === null ? newer.at : Date.parse(at);
  return tell(importReplacement(db, { ...said, older: older.memory, newer: newer.memory, at: since }));
}

function takeCommit(db: Database, line: CommitLine): Taken {
  const project = findProject(db, line.project);
  return project ? tell(importCommit(db, project.id, line, null)) : NO_PROJECT;
}

function takeDistrusted(db: Database, line: DistrustedLine): Taken {
  const source = parseSource(line.source);
  if (!source) return { kind: 'bad', reason: 'its source is none that is known' };
  return tell(distrust(db, source, Date.parse(line.at)));
}

function takeForgotten(db: Database, { what, hash, at }: ForgottenLine): Taken {
  if (isForgotten(db, what, hash)) return tell(false);
  bury(db, what, hash, Date.parse(at));
  return tell(true);
}
