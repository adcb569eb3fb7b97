// One run of the real `claude -p` in an environment of the test's choosing, and what it said.
import { z } from 'zod';

export type RunOptions = {
  claude: string;
  home: string;
  cwd: string;
  apiUrl: string;
  pluginDir: string;
  /** What the person types, slash commands included. Each is sent when the answer to the one before has ended. */
  turns: string[];
  resume?: string;
  env?: Record<string, string>;
  timeoutMs?: number;
  /** What the person has allowed beforehand; the usual tools, unless a test says otherwise. */
  allowedTools?: string[];
};

export type ClaudeRun = {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Every session of the run in order: one, or more after /clear. */
  sessionIds: string[];
  /** What each hook printed, as the CLI reports it. SessionEnd is not reported; its errors are on stderr. */
  hooks: HookReport[];
  durationMs: number;
};

export type HookReport = z.infer<typeof HookReport>;

const TOOLS = ['Agent', 'Bash', 'Edit', 'Read', 'Write', 'mcp__plugin_mem_claude-mem'];

/** Rejects when the run takes too long; then it and everything in its process group has been killed. */
export async function runClaude(options: RunOptions): Promise<ClaudeRun> {
  const startedAt = performance.now();
  const child = Bun.spawn(commandOf(options), {
    cwd: options.cwd,
    env: environmentOf(options),
    detached: true,
    stdin: options.turns.length > 1 ? 'pipe' : 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const timeoutMs = options.timeoutMs ?? 120_000;
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  const [stdout, stderr, exitCode] = await Promise.all([
    converse(child.stdout, child.stdin, options.turns),
    child.stderr.text(),
    child.exited,
  ]);
  clearTimeout(timer);
  if (timedOut) throw new Error(`claude was killed after ${timeoutMs} ms\n${stderr}\n${stdout.slice(-2000)}`);
  return { exitCode, stdout, stderr, ...readStream(stdout), durationMs: performance.now() - startedAt };
}

function commandOf({ claude, turns, resume, pluginDir, allowedTools = TOOLS }: RunOptions): string[] {
  const input = turns.length > 1 ? ['--input-format', 'stream-json'] : [turns[0] ?? ''];
  const output = ['--output-format', 'stream-json', '--verbose', '--include-hook-events'];
  const resumed = resume === undefined ? [] : ['--resume', resume];
  return [
    claude,
    '-p',
    ...input,
    ...output,
    ...resumed,
    '--plugin-dir',
    pluginDir,
    ...(allowedTools.length > 0 ? ['--allowedTools', ...allowedTools] : []),
  ];
}

/** Nothing of the machine but PATH: no login, no settings, no proxy; temporary files of the CLI stay in the temp HOME. */
function environmentOf({ home, apiUrl, env }: RunOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    SHELL: '/bin/bash',
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    CLAUDE_CODE_TMPDIR: home,
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: 'sk-fake',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ...env,
  };
}

/** A prompt sent during a turn would be taken into that turn, so each waits for the `result` of the one before. */
async function converse(stdout: ReadableStream<Uint8Array>, stdin: Bun.FileSink | undefined, turns: string[]): Promise<string> {
  const waiting = [...turns];
  const sendNext = () => {
    const text = waiting.shift();
    if (text === undefined) return void stdin?.end();
    stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`);
    stdin?.flush();
  };
  sendNext();
  const decoder = new TextDecoder();
  let all = '';
  let unread = 0;
  for await (const chunk of stdout) {
    all += decoder.decode(chunk, { stream: true });
    for (let end = all.indexOf('\n', unread); end !== -1; end = all.indexOf('\n', unread)) {
      if (StreamLine.parse(JSON.parse(all.slice(unread, end))).type === 'result') sendNext();
      unread = end + 1;
    }
  }
  return all;
}

function readStream(stdout: string): Pick<ClaudeRun, 'sessionIds' | 'hooks'> {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const parsed = lines.map((line) => StreamLine.parse(JSON.parse(line)));
  return {
    sessionIds: [...new Set(parsed.map((line) => line.session_id))],
    hooks: parsed.filter((line) => line.subtype === 'hook_response').map((line) => HookReport.parse(line)),
  };
}

const StreamLine = z.looseObject({ type: z.string(), subtype: z.string().optional(), session_id: z.string() });
const HookReport = z.object({
  hook_event: z.string(),
  hook_name: z.string(),
  session_id: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().optional(),
  outcome: z.string(),
});
