// A git repository made of commit messages in about a second: each commit touches a file that its subject names.

export type CommitText = { hash: string; date: string; subject: string; body: string };

export type LogRepository = {
  /** Oldest first, on top of what is there. */
  add: (commits: CommitText[]) => void;
};

export function createLogRepository(root: string): LogRepository {
  let made = 0;
  const git = (args: string[], input?: string) => {
    const env = { PATH: '/usr/bin:/bin', HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
    const stdin = input === undefined ? 'ignore' : Buffer.from(input);
    const done = Bun.spawnSync(['git', ...args], { cwd: root, env, stdin });
    if (done.exitCode !== 0) throw new Error(`git ${args[0]}: ${done.stderr}`);
  };
  git(['init', '-q', '-b', 'main']);
  return {
    add(commits) {
      const stream = commits.map((commit, at) => tellCommit(commit, made + at, at === 0 && made > 0));
      made += commits.length;
      git(['fast-import', '--quiet', '--force'], stream.join(''));
      git(['reset', '-q', '--hard', 'main']);
    },
  };
}

function tellCommit({ date, subject, body }: CommitText, at: number, isContinued: boolean): string {
  const seconds = Math.floor(Date.parse(date) / 1000);
  const message = body ? `${subject}\n\n${body}` : subject;
  const text = `# ${at}: ${subject}\n`;
  return [
    'commit refs/heads/main',
    `author dev <dev@example.com> ${seconds} +0000`,
    `committer dev <dev@example.com> ${seconds} +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    ...(isContinued ? ['from refs/heads/main^0'] : []),
    `M 100644 inline ${fileOf(subject)}`,
    `data ${Buffer.byteLength(text)}`,
    text,
    '',
  ].join('\n');
}

const fileOf = (subject: string) => `boltons/${/\b([a-z]+utils)\b/.exec(subject)?.[1] ?? 'misc'}.py`;
