// `claude-mem token` and `viewer`: how programs and the browser get in. The token is not printed: a terminal keeps what it shows.
import { existsSync } from 'node:fs';
import { askWorker } from '../../client/api.ts';
import { quoteWord } from '../../core/text.ts';
import { hasScreen } from '../../environment.ts';
import { findPaths } from '../../paths.ts';
import { command, person } from '../command.ts';
import { fetchStatus } from '../worker-state.ts';

const OPENS = person('Whoever has the link or the token can read and change all memories.');

export const tokenCommand = command({
  name: 'token',
  about: 'Show the API token file for scripts and editors',
  who: 'anyone',
  commands: [
    command({
      name: 'rotate',
      about: 'Make a new token: the old one and every open page stop working at once',
      who: OPENS,
      async run() {
        const { token } = findPaths();
        const answer = (await askWorker(findPaths(), '/api/token/rotate', { method: 'POST' })) as { address: string | null };
        const done = `There is a new token in ${token}; the old one and every open page no longer work.`;
        return {
          answer: { path: token, ...answer },
          text: () => `${done}\nPrograms must read it again. For the viewer: \`claude-mem viewer\`.`,
        };
      },
    }),
  ],
  async run() {
    const { token } = findPaths();
    const exists = existsSync(token);
    const status = await fetchStatus(findPaths());
    const address = status?.web.address ?? null;
    const header = `printf 'Authorization: Bearer %s' "$(cat ${quoteWord(token)})"`;
    const next = () => {
      if (!exists) return 'It is made when the worker starts: `claude-mem start`.';
      if (status === null) return 'No worker runs, so nothing accepts it now: `claude-mem start`.';
      if (address === null) return 'The worker has no HTTP server now: see `claude-mem status`.';
      return `Programs send it like this:\n  ${header} | curl -H @- ${address}/health`;
    };
    return { answer: { path: token, exists, address }, text: () => `${token}\n${next()}` };
  },
});

type Link = { url: string; expiresAt: string };

export const viewerCommand = command({
  name: 'viewer',
  about: 'Open the memory in a browser',
  help: 'By a link that works once, for ten minutes.',
  options: { '--print': 'Only print the link' },
  who: OPENS,
  async run({ print, json }) {
    const link = (await askWorker(findPaths(), '/api/token/link', { method: 'POST' })) as Link;
    if (json || print || process.stdout.isTTY !== true || !hasScreen()) return { answer: link, text: () => link.url };
    const next = openBrowser(link.url) ? 'It works once.' : 'Open it in a browser within ten minutes; it works once.';
    return `${link.url}\n${next}`;
  },
});

const OPENERS: Record<string, string[]> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  // The first argument is the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/** In its own time, and apart from the terminal: that may be closed before the browser is there. */
export function openBrowser(url: string): boolean {
  const [program = '', ...words] = OPENERS[process.platform] ?? [];
  const path = Bun.which(program);
  if (!path) return false;
  Bun.spawn([path, ...words, url], { stdio: ['ignore', 'ignore', 'ignore'], detached: true }).unref();
  return true;
}
