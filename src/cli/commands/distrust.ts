// `claude-mem distrust`: memories of a session, a host or a kind of origin are told to nobody. Without a source: which they are.
import { createMemoryApi } from '../../client/memory-api.ts';
import type { DistrustAnswer } from '../../core/correction.ts';
import { plainLine } from '../../core/plain-line.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { findTerminal } from '../terminal.ts';

export type DistrustOptions = { undo?: boolean; list?: boolean; json?: boolean };

export async function distrust(said: string | undefined, { undo, list, json }: DistrustOptions): Promise<void> {
  const api = createMemoryApi(findPaths());
  if (said === undefined && undo) throw new Error('Say whom to trust again: claude-mem distrust --undo session:ID');
  if (said === undefined || list) {
    const answer = await api.listDistrusted();
    return json ? printJson(answer) : findTerminal().print(describeAll(answer));
  }
  const answer = await api.distrust({ source: said, trusted: undo ?? false, by: 'user' });
  if (json) return printJson(answer);
  console.log(describeChange(answer, undo ?? false));
}

function describeChange({ source = '', isChanged, sources }: DistrustAnswer, undo: boolean): string {
  const name = plainLine(source, 200);
  if (undo && !isChanged) return `Was not distrusted: ${name}. Nothing was changed.`;
  if (undo) return `Trusted again: ${name}. To undo: claude-mem distrust ${name}`;
  const count = sources.find((one) => one.source === source)?.memories ?? 0;
  const done = isChanged ? 'Distrusted' : 'Distrusted already';
  return `${done}: ${name}, ${countMemories(count)} told to no session, still found. To undo: claude-mem distrust --undo ${name}`;
}

function describeAll({ sources }: DistrustAnswer): string {
  if (sources.length === 0) return 'Every source is trusted. To distrust one: claude-mem distrust session:ID';
  return sources
    .map(
      ({ source, since, memories }) =>
        `${plainLine(source, 200)}  ${countMemories(memories)}  since ${since.slice(0, 10)}`,
    )
    .join('\n');
}

const countMemories = (count: number) => (count === 1 ? '1 memory' : `${count} memories`);
