// A program of a benchmark in a process of its own: it says "ready", then a line for a line.
import { check } from './benchmark.ts';

export type TalkingChild = {
  /** Sends a line and resolves with the JSON that it answers. */
  ask: <T>() => Promise<T>;
  end: () => Promise<void>;
};

export async function startChild(command: string[]): Promise<TalkingChild> {
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = '';
  /** Until the end of a line, or of all that it says. */
  const readLine = async (): Promise<string> => {
    for (;;) {
      const end = text.indexOf('\n');
      if (end >= 0) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        return line;
      }
      const piece = await reader.read();
      if (piece.done) return text;
      text += decoder.decode(piece.value, { stream: true });
    }
  };
  check((await readLine()) === 'ready', `"${command.slice(1).join(' ')}" did not get ready`);
  return {
    ask: async () => {
      child.stdin.write('go\n');
      child.stdin.flush();
      return JSON.parse(await readLine());
    },
    end: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}
