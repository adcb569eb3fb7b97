// `claude-mem wrong`: what a memory says is not so. No session is told; search finds it, with a mark.
import { correctEach, nameMemory } from '../correct-each.ts';

export type WrongOptions = { undo?: boolean; json?: boolean };

export const markWrong = (said: string[], { undo = false, json }: WrongOptions): Promise<void> =>
  correctEach({
    said,
    correction: { wrong: !undo },
    json,
    describe: (memory) =>
      undo
        ? `No longer marked wrong: ${nameMemory(memory)}.`
        : `Marked wrong, told to no session: ${nameMemory(memory)}.`,
    undo: undo ? 'wrong' : 'wrong --undo',
  });
