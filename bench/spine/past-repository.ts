// A git repository with a long past, made in a moment, and what is done to it afterwards.

export type PastRepository = {
  /** Commits that each change two of the files; the work tree follows. */
  addCommits: (count: number, files: number[]) => void;
  git: (...args: string[]) => void;
  /** Epoch ms of its last commit. */
  lastAt: () => number;
};

export const FILES = 400;
const LINES = 200;
const SECONDS_APART = 600;

export const nameFile = (file: number) => `src/dir${file % 20}/part${file % 7}/file${file}.ts`;

/** Its last commit is an hour old once it has this many. */
export function createPastRepository(root: string, commits: number): PastRepository {
  const begin = Math.floor(Date.now() / 1000) - commits * SECONDS_APART - 3600;
  let made = 0;
  const git = (args: string[], input?: string) => {
    const env = { PATH: '/usr/bin:/bin', HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
    const stdin = input === undefined ? 'ignore' : Buffer.from(input);
    const done = Bun.spawnSync(['git', '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: root,
      env,
      stdin,
    });
    if (done.exitCode !== 0) throw new Error(`git ${args[0]}: ${done.stderr}`);
  };
  const tellCommit = (files: number[]) => {
    const at = begin + made * SECONDS_APART;
    const message = `change ${made}`;
    const from = made === 0 ? '' : 'from refs/heads/main^0\n';
    const changes = files.map((file) => {
      const text = writeText(file, made);
      return `M 100644 inline ${nameFile(file)}\ndata ${text.length}\n${text}\n`;
    });
    made++;
    return `commit refs/heads/main\ncommitter a <a@b.c> ${at} +0000\ndata ${message.length}\n${message}\n${from}${changes.join('')}`;
  };
  const add = (tellings: string[]) => {
    // Only the first of a stream says where it goes on from.
    const stream = tellings.map((telling, at) => (at === 0 ? telling : telling.replace('from refs/heads/main^0\n', '')));
    git(['fast-import', '--quiet', '--force'], stream.join(''));
    git(['reset', '-q', '--hard', 'main']);
  };
  git(['init', '-q', '-b', 'main']);
  add([tellCommit(Array.from({ length: FILES }, (_, file) => file))]);
  return {
    addCommits: (count, files) => {
      const choose = (step: number) => files[step % files.length] ?? 0;
      add(Array.from({ length: count }, (_, at) => tellCommit([...new Set([choose(at * 7), choose(at * 13 + 5)])])));
    },
    git: (...args) => git(args),
    lastAt: () => (begin + (made - 1) * SECONDS_APART) * 1000,
  };
}

const writeText = (file: number, round: number) =>
  `${Array.from({ length: LINES }, (_, line) => `const value${line} = ${file * line + (line % 20 === round % 20 ? round : 0)};`).join('\n')}\n`;
