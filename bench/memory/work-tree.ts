// The files of a case as its sessions left them: a later session finds its project there, and what was remembered of a file can be checked against it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { ScriptedSession } from './case.ts';

type Change = { file: string } & ({ text: string | null } | { old: string; new: string });

export function layFiles(root: string, start: Record<string, string>, changes: Change[]): void {
  const files = new Map(Object.entries(start));
  for (const change of changes) {
    const path = relative(root, resolve(root, change.file));
    if (path.startsWith('..')) continue;
    const text = apply(files.get(path), change);
    if (text === null) files.delete(path);
    else files.set(path, text);
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Of a file that nobody showed in full only what was written into it is known. Null: it is removed. */
function apply(before: string | undefined, change: Change): string | null {
  if ('text' in change) return change.text;
  if (before?.includes(change.old)) return before.replace(change.old, () => change.new);
  return `${before ?? ''}${change.new}\n`;
}

export const changesOf = (sessions: ScriptedSession[]): Change[] =>
  sessions
    .flatMap(({ turns }) => turns.flatMap(({ steps }) => steps))
    .flatMap((step): Change[] => {
      const [, gone] = /^(?:git )?rm (?:-\w+ )?(\S+)$/.exec(step.bash ?? '') ?? [];
      if (gone !== undefined && step.fails !== true) return [{ file: gone, text: null }];
      if (step.write !== undefined) return [{ file: step.write, text: step.text ?? '' }];
      return step.edit === undefined ? [] : [{ file: step.edit, old: step.old ?? '', new: step.new ?? '' }];
    });

type Used = { name?: string; input?: Record<string, unknown> };

/** Of a transcript of Claude Code. */
export const changesIn = (transcript: string): Change[] =>
  transcript
    .split('\n')
    .filter((line) => line.includes('"tool_use"'))
    .flatMap((line) => readUses(line).flatMap(readChange));

function readUses(line: string): Used[] {
  const { message } = JSON.parse(line) as { message?: { content?: unknown } };
  return Array.isArray(message?.content) ? (message.content as Used[]) : [];
}

function readChange({ name, input = {} }: Used): Change[] {
  const { file_path: file, content, old_string: old, new_string: text } = input;
  if (typeof file !== 'string') return [];
  if (name === 'Write' && typeof content === 'string') return [{ file, text: content }];
  return name === 'Edit' && typeof old === 'string' && typeof text === 'string' ? [{ file, old, new: text }] : [];
}
