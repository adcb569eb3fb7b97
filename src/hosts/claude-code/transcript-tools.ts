// Tools that were called and have no result yet.
import type { Line, ToolUse } from './transcript-line.ts';

export type OpenUse = ToolUse & { line: Line };

export type ToolUses = {
  begin: (use: OpenUse & { position: number }) => void;
  /** The call that a result answers, once. */
  answer: (id: string) => OpenUse | null;
  /** Nothing will answer them any more. */
  drop: () => OpenUse[];
  /** Where the first that is still open was called. */
  oldest: () => number | null;
};

export function createToolUses(): ToolUses {
  const open = new Map<string, { use: OpenUse; position: number }>();
  return {
    begin({ position, ...use }) {
      open.set(use.tool_use_id, { use, position });
    },
    answer(id) {
      const found = open.get(id);
      open.delete(id);
      return found?.use ?? null;
    },
    drop() {
      const uses = [...open.values()].map(({ use }) => use);
      open.clear();
      return uses;
    },
    oldest: () => open.values().next().value?.position ?? null,
  };
}
