// One process from its spawn to its exit, given its stdin the way Claude Code gives it.

/** `cpuMs`: of the processor, which others that are at work change less. */
export type TimedRun = { ms: number; cpuMs: number; stdout: string };

export type TimedCommand = { command: string[]; env: Record<string, string>; stdin?: Uint8Array };

/** 'pipe' is a socket, as it is for a real hook. A Blob or Buffer would become a memory file, which is read faster. */
export async function timeProcess({ command, env, stdin }: TimedCommand): Promise<TimedRun> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, { env, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' });
  if (stdin) child.stdin.write(stdin);
  child.stdin.end();
  const code = await child.exited;
  const ms = performance.now() - startedAt;
  if (code !== 0) throw new Error(`"${command.join(' ')}" ended with ${code}`);
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
  return { ms, cpuMs, stdout: await child.stdout.text() };
}
