// `claude-mem viewer`: a link that works once, and the browser that opens it.
import { askWorker } from '../../client/api.ts';
import { hasScreen } from '../../environment.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';

export type ViewerOptions = { print?: boolean; json?: boolean };
type Link = { url: string; expiresAt: string };

export async function openViewer({ print, json }: ViewerOptions): Promise<void> {
  const link = (await askWorker(findPaths(), '/api/token/link', { method: 'POST' })) as Link;
  if (json) return printJson(link);
  console.log(link.url);
  if (print || process.stdout.isTTY !== true || !hasScreen()) return;
  const isOpened = openBrowser(link.url);
  console.log(isOpened ? 'It works once.' : 'Open it in a browser within ten minutes; it works once.');
}

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
