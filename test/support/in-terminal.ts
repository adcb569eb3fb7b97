// The built CLI in a terminal of some size: all that it shows there.
import { join } from 'node:path';
import { until } from './until.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');
const END = '(the end)';

type Options = { width?: number; rows?: number; env?: Record<string, string>; at?: string; typed?: string };

/** `typed` is typed once it shows `at`: a question, unless it says otherwise. */
export async function runInTerminal(
  args: string[],
  { width = 80, rows = 24, env = {}, at = '[y/N]', typed = '' }: Options,
): Promise<{ shown: string; code: number }> {
  let [shown, isTyped] = ['', typed === ''];
  const decoder = new TextDecoder();
  const data = (terminal: Bun.Terminal, bytes: Uint8Array) => {
    shown += decoder.decode(bytes, { stream: true });
    if (isTyped || !shown.includes(at)) return;
    isTyped = true;
    terminal.write(typed);
  };
  await using terminal = new Bun.Terminal({ cols: width, rows, data });
  const script = `"$0" "$@"; code=$?; printf '${END}'; exit $code`;
  const child = Bun.spawn(['/bin/sh', '-c', script, process.execPath, CLI, ...args], { env: { TERM: 'xterm', ...env }, terminal });
  const code = await child.exited;
  // What it has said may come after its end.
  await until(() => shown.endsWith(END));
  return { shown: shown.slice(0, -END.length).replaceAll('\r\n', '\n'), code };
}
