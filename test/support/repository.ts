// A real git repository in a temporary folder, with real commits.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type TestRepository = {
  root: string;
  git: (...args: string[]) => string;
  write: (path: string, text: string) => void;
  remove: (path: string) => void;
  /** All that is in the work tree. Gives its hash. */
  commit: (message: string, at?: string) => string;
  close: () => void;
};

const USER = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.c', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.c' };

export function createTestRepository(): TestRepository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-git-')));
  const run = (args: string[], more: Record<string, string> = {}): string => {
    const env = { ...USER, PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true', HOME: root, ...more };
    const done = Bun.spawnSync(['git', ...args], { cwd: root, env });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
    return done.stdout.toString().trim();
  };
  run(['init', '-q', '-b', 'main']);
  return {
    root,
    git: (...args) => run(args),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    remove: (path) => rmSync(join(root, path)),
    commit(message, at) {
      run(['add', '-A']);
      run(['commit', '-q', '-m', message], at ? { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at } : {});
      return run(['rev-parse', 'HEAD']);
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
