// The git repository that the recorded week is about: real files, real commits, of their own time.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellPath } from '../../paths.ts';
import type { Week } from './week.ts';

export type Repository = {
  root: string;
  has: (path: string) => boolean;
  read: (path: string) => string;
  write: (path: string, text: string) => void;
  /** All that has changed. Gives what git printed. */
  commit: (message: string, at: number) => string;
};

/** `root` lies in a home of its own: the person's settings, templates and hooks of git do not count. */
export function makeRepository(root: string, { person, files }: Week['repository']): Repository {
  const home = dirname(root);
  const git = (args: string[], dates: Record<string, string> = {}): string => {
    const env = { PATH: shellPath(), HOME: home, LANG: 'C', GIT_CONFIG_NOSYSTEM: '1', ...dates };
    const { stdout, stderr, success } = Bun.spawnSync(['git', ...args], { cwd: root, env });
    if (!success) throw new Error(`git ${args[0]} failed: ${stderr.toString().trim()}`);
    return stdout.toString();
  };
  mkdirSync(root, { recursive: true });
  writeFileSync(join(home, '.gitconfig'), `[user]\n\tname = ${person.name}\n\temail = ${person.email}\n`);
  git(['init', '-q', '-b', 'main']);
  // Whole seconds: what is dated before its folder was made is not taken for the person's own.
  const madeAt = Math.ceil(statSync(join(root, '.git')).birthtimeMs / 1000) * 1000;
  const repository: Repository = {
    root,
    has: (path) => existsSync(join(root, path)),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    commit(message, at) {
      git(['add', '-A']);
      const dates = { GIT_AUTHOR_DATE: formatDate(at), GIT_COMMITTER_DATE: formatDate(Math.max(madeAt, Date.now())) };
      return git(['commit', '-m', message], dates);
    },
  };
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  return repository;
}

const formatDate = (at: number) => `${Math.floor(at / 1000)} +0000`;
