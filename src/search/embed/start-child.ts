// Starts the embedder's process, with nothing of our environment, and says when it answers and when it is gone.
import { EmbedderError } from './embedder.ts';
import type { ChildAnswer, ChildRequest } from './wire.ts';

export type Child = {
  pid: number;
  send: (request: ChildRequest) => void;
  /** At once: it keeps nothing that could be lost. Resolves when it is gone; `onEnd` is not called any more. */
  end: () => Promise<void>;
};

export type StartOrder = {
  command: string[];
  onAnswer: (answer: ChildAnswer) => void;
  /** Called when it ends by itself; `how` goes on after "it". */
  onEnd: (how: string) => void;
};

/** Throws an EmbedderError of kind settings when there is no such program. */
export function startChild({ command, onAnswer, onEnd }: StartOrder): Child {
  let isEnding = false;
  const process = spawn(command, {
    onAnswer: (answer) => {
      if (!isEnding) onAnswer(answer);
    },
    onExit: (how) => {
      if (!isEnding) onEnd(how);
    },
  });
  return {
    pid: process.pid,
    send: (request) => process.send(request),
    end: async () => {
      isEnding = true;
      process.kill('SIGKILL');
      await process.exited;
    },
  };
}

type Handlers = { onAnswer: (answer: ChildAnswer) => void; onExit: (how: string) => void };

function spawn(command: string[], { onAnswer, onExit }: Handlers) {
  try {
    return Bun.spawn(command, {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      ipc: onAnswer,
      onExit: (_process, code, signal) =>
        onExit(signal === null ? `ended with code ${code}` : `died of signal ${signal}`),
    });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new EmbedderError('settings', `${command[0]} cannot be run (${code}). Install claude-mem again.`, { cause });
  }
}
