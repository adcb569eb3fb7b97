// The files that the events of a batch really edited or touched, named as the project knows them.
import type { Batch } from '../../core/batch.ts';
import type { ToolEvent } from '../../core/event.ts';
import { relativePath } from '../../core/project-path.ts';
import { soundAction } from '../../core/sound-action.ts';
import { splitShell } from '../../observer/shell.ts';

export type KnownFiles = {
  edited: Set<string>;
  /** Read, edited, found by a search, or named by a command that ran. */
  touched: Set<string>;
  /** Ids of the events that touched a file. */
  touchedBy: Map<string, string[]>;
};

export function listKnownFiles({ events, project: { root } }: Batch): KnownFiles {
  const edited = new Set<string>();
  const touchedBy = new Map<string, string[]>();
  for (const event of events) {
    if (event.kind !== 'tool' || event.error !== null) continue;
    const action = soundAction(event.action);
    const named = (files: string[]) => new Set(files.map((name) => relativePath(name, root, event.cwd)));
    const written = named(filesWritten(action));
    for (const file of written) edited.add(file);
    for (const file of new Set([...written, ...named(filesSeen(action))]))
      touchedBy.set(file, [...(touchedBy.get(file) ?? []), event.id]);
  }
  return { edited, touched: new Set(touchedBy.keys()), touchedBy };
}

const FILE_ARGUMENT = /^[\w@.+()[\]/-]{0,300}\.\w{1,8}$/;

/** By an edit, or by a command: where its output went, and what `sed -i` or its like changed in its place. */
function filesWritten(action: ToolEvent['action']): string[] {
  if (action.type === 'edit') return action.file ? [action.file] : [];
  if (action.type !== 'command') return [];
  return splitShell(action.command).flatMap(({ program, args, writes }) => {
    const isInPlace = IN_PLACE.test(program) && args.some((arg) => /^-\w*i/.test(arg));
    return [...writes, ...(isInPlace ? args : [])].filter((file) => FILE_ARGUMENT.test(file));
  });
}

const IN_PLACE = /^(?:g?sed|perl)$/;

function filesSeen(action: ToolEvent['action']): string[] {
  if (action.type === 'read' || action.type === 'edit') return action.file ? [action.file] : [];
  if (action.type === 'search') return [...listOf(action.files), action.path].filter((file) => isPath(file));
  if (action.type !== 'command') return [];
  return splitShell(action.command).flatMap(({ args }) => args.filter((arg) => FILE_ARGUMENT.test(arg)));
}

/** A stored event may come from an older version: a list of another shape is read as none. */
const listOf = (files: unknown): unknown[] => (Array.isArray(files) ? files : []);
const isPath = (file: unknown): file is string => typeof file === 'string' && file !== '';
