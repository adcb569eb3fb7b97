// `claude-mem token` and `viewer`: how programs and the browser get in. The token is not printed: a terminal keeps what it shows.

import { existsSync } from 'node:fs';
import { askWorker } from '../../client/api.ts';
import { quoteWord } from '../../core/text.ts';
import { hasScreen } from '../../environment.ts';
import { findPaths } from '../../paths.ts';
import { command, person } from '../command.ts';
import { printJson } from '../print.ts';
import { fetchStatus } from '../worker-state.ts';

const OPENS = person('Whoever has it can read and change all memories.');

export const tokenCommand = command({
  name: 'token',
  about: 'where the token is with which programs may ask on the port of the viewer',
  options: { '--json': 'as JSON' },
  who: 'anyone',
  commands: [
    command({
      name: 'rotate',
      about: 'make a new token: the old one and every open page are out at once',
      options: { '--json': 'as JSON' },
      who: OPENS,
      run: rotateToken,
    }),
  ],
  async run({ json }) {
    const paths = findPaths();
    const status = await fetchStatus(paths);
    const address = status?.web.address ?? null;
    if (json) return printJson({ path: paths.token, exists: existsSync(paths.token), address });
    console.log(paths.token);
    if (!existsSync(paths.token)) return console.log('It is made when the worker starts: `claude-mem start`.');
    if (status === null) return console.log('No worker runs, so nothing takes it just now: `claude-mem start`.');
    if (address === null) return console.log('The worker has no web door just now: see `claude-mem status`.');
    const header = `printf 'Authorization: Bearer %s' "$(cat ${quoteWord(paths.token)})"`;
    console.log(`Programs show it like this:\n  ${header} | curl -H @- ${address}/health`);
  },
});

async function rotateToken({ json }: { json?: boolean }): Promise<void> {
  const paths = findPaths();
  const answer = (await askWorker(paths, '/api/token/rotate', { method: 'POST' })) as { address: string | null };
  if (json) return printJson({ path: paths.token, ...answer });
  console.log(`There is a new token in ${paths.token}; the old one and every open page are out.`);
  console.log('Programs must read it again. For the viewer: `claude-mem viewer`.');
}

type Link = { url: string; expiresAt: string };

export const viewerCommand = command({
  name: 'viewer',
  about: 'look at the memory in a browser: a link that works once, for ten minutes',
  options: { '--print': 'only print the link', '--json': 'print it as JSON' },
  who: OPENS,
  async run({ print, json }) {
    const link = (await askWorker(findPaths(), '/api/token/link', { method: 'POST' })) as Link;
    if (json) return printJson(link);
    console.log(link.url);
    if (print || process.stdout.isTTY !== true || !hasScreen()) return;
    const isOpened = openBrowser(link.url);
    console.log(isOpened ? 'It works once.' : 'Open it in a browser within ten minutes; it works once.');
  },
});

const OPENERS: Record<string, string[]> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  // The first argument is the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/** In its own time, and apart from the terminal: that may be closed before the browser is there. */
function openBrowser(url: string): boolean {
  const [program = '', ...words] = OPENERS[process.platform] ?? [];
  const path = Bun.which(program);
  if (!path) return false;
  Bun.spawn([path, ...words, url], { stdio: ['ignore', 'ignore', 'ignore'], detached: true }).unref();
  return true;
}
