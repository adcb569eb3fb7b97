// The files that the events of a batch really edited or touched, named as the local observer names them.
import type { Batch } from '../../../core/batch.ts';
import { relativePath } from '../../local/project-path.ts';
import { newSteps, readTurn, type Step } from '../../local/turn.ts';

export type KnownFiles = {
  edited: Set<string>;
  /** Read, edited, found by a search, or named by a command that ran. */
  touched: Set<string>;
  /** Ids of the events that touched a file. */
  touchedBy: Map<string, string[]>;
};

export function listKnownFiles(batch: Batch): KnownFiles {
  const edited = new Set<string>();
  const touchedBy = new Map<string, string[]>();
  for (const step of newSteps(readTurn(batch))) {
    const written = step.edits.map((edit) => edit.file);
    for (const file of written) edited.add(file);
    const seen = filesSeen(step).map((file) => relativePath(file, batch.project.root, step.event.cwd));
    for (const file of new Set([...written, ...seen])) {
      const ids = touchedBy.get(file) ?? [];
      ids.push(step.id);
      touchedBy.set(file, ids);
    }
  }
  return { edited, touched: new Set(touchedBy.keys()), touchedBy };
}

const FILE_ARGUMENT = /^[\w@.+()[\]/-]{0,300}\.\w{1,8}$/;

function filesSeen({ event, run }: Step): string[] {
  if (event.error !== null) return [];
  const { action } = event;
  if (action.type === 'read' || action.type === 'edit') return action.file ? [action.file] : [];
  if (action.type === 'search') return [...listOf(action.files), action.path].filter((file) => isPath(file));
  return (run?.commands ?? []).flatMap(({ args }) => args.filter((arg) => FILE_ARGUMENT.test(arg)));
}

/** A stored event may come from an older version: a list of another shape is read as none. */
const listOf = (files: unknown): unknown[] => (Array.isArray(files) ? files : []);
const isPath = (file: unknown): file is string => typeof file === 'string' && file !== '';
