// What a person says of two memories: the newer holds instead of the older, both hold, or the older is not replaced after all.
import type { Database } from 'bun:sqlite';
import { AskError } from '../../core/ask-error.ts';
import type { ReplaceAnswer, ReplaceParameters } from '../../core/correction.ts';
import { formatRef, type MemoryRef, parseRef } from '../../core/memory.ts';
import { isAbove, listReplacements, sayBothHold, sayReplaced, undoReplacement } from '../../memory/replacements.ts';
import { settle } from '../../store/memories/corrections.ts';
import { readRows } from '../../store/memories/memories.ts';
import { requirePerson } from './require-person.ts';

export function replaceMemory(db: Database, said: ReplaceParameters, now: number): ReplaceAnswer {
  requirePerson(said.by);
  const older = readId(said.older);
  const newer = said.newer === undefined ? undefined : readId(said.newer);
  return db
    .transaction((): ReplaceAnswer => {
      requireThere(db, [older, ...(newer ? [newer] : [])]);
      const changed = change(db, older, newer, said, now);
      for (const { kind, id } of [older, ...changed]) if (kind === 'observation') settle(db, id);
      const rows = readRows(db, [older, ...changed]);
      const [first, ...others] = [older, ...changed].flatMap((ref) => rows.get(formatRef(ref)) ?? []);
      if (!first) throw new Error(`${formatRef(older)} vanished while it was changed`);
      return { older: first, newer: others, state: said.undo ? 'undone' : said.bothHold ? 'both hold' : 'replaced' };
    })
    .immediate();
}

/** The newer memories of the pairs that changed. */
function change(
  db: Database,
  older: MemoryRef,
  newer: MemoryRef | undefined,
  { undo, bothHold }: ReplaceParameters,
  now: number,
): MemoryRef[] {
  if (undo) return undone(older, undoReplacement(db, older, newer));
  if (!newer) {
    const hint = `claude-mem replace ${formatRef(older)} NEW, or claude-mem replace ${formatRef(older)} --undo`;
    throw new AskError('invalid', 'It is not said what holds instead.', `Give the id of the newer one: ${hint}`);
  }
  requirePair(older, newer);
  if (bothHold) sayBothHold(db, older, newer, now);
  else replace(db, older, newer, now);
  return [newer];
}

function undone(older: MemoryRef, newer: MemoryRef[]): MemoryRef[] {
  if (newer.length > 0) return newer;
  const hint = `claude-mem show ${formatRef(older)} says what replaces it.`;
  throw new AskError('conflict', `#${formatRef(older)} is not replaced: there is nothing to undo.`, hint);
}

/** For whoever names both; also inside the transaction of another correction. */
export function replace(db: Database, older: MemoryRef, newer: MemoryRef, now: number): void {
  requirePair(older, newer);
  const [was, is] = [formatRef(older), formatRef(newer)];
  if (isAbove(db, newer, older)) {
    const hint = `To say that #${is} holds, first: claude-mem replace ${is} --undo`;
    throw new AskError('conflict', `#${is} is itself replaced by #${was}.`, `Nothing was changed. ${hint}`);
  }
  sayReplaced(db, older, newer, now);
  if (listReplacements(db, [older]).has(was)) return;
  const hint = `Nothing was changed. If it holds, first take its mark off: claude-mem show ${is}`;
  throw new AskError('conflict', `#${is} is marked wrong or untrusted, so no session would get it.`, hint);
}

export function requirePair(older: MemoryRef, newer: MemoryRef): void {
  if (newer.kind === 'summary') {
    const hint = 'Give the id of an observation (123) or of a prompt (P34), which stands for its turn.';
    throw new AskError('invalid', `${formatRef(newer)} is a summary: it replaces nothing.`, hint);
  }
  if (formatRef(older) !== formatRef(newer)) return;
  throw new AskError('conflict', 'Nothing replaces itself.', 'Nothing was changed. Give the id of the one that holds.');
}

function readId(text: string): MemoryRef {
  const ref = parseRef(text);
  if (ref) return ref;
  const hint = 'Give an id as search shows it: 123, P34 or S12.';
  throw new AskError('invalid', `"${text.slice(0, 60)}" is not the id of a memory.`, hint);
}

function requireThere(db: Database, refs: MemoryRef[]): void {
  const rows = readRows(db, refs);
  const missing = refs.find((ref) => !rows.has(formatRef(ref)));
  if (!missing) return;
  const hint = 'It may be forgotten or hidden. Nothing was changed.';
  throw new AskError('unknown', `There is no memory ${formatRef(missing)}.`, hint);
}
