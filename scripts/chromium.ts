// Finds the browser of the tests: Debian's Chromium, installed when it is missing and somebody may install it.
import { asRoot, outsideEnvironment } from './outside-environment.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Its path. Rejects with what to do when there is none and none can be installed. */
export async function findChromium(): Promise<string> {
  const found = process.env.CHROMIUM || NAMES.map((name) => Bun.which(name)).find((path) => path !== null);
  if (found) return found;
  await install();
  const installed = Bun.which('chromium');
  if (installed) return installed;
  throw new Error('The browser tests need Chromium. Install it, or say where it is: CHROMIUM=/path/to/chromium npm test');
}

async function install(): Promise<void> {
  if (!Bun.which('apt-get')) return;
  console.log('Installing Chromium for the browser tests: apt-get install chromium');
  const run = (...args: string[]) =>
    Bun.spawn(asRoot(['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]), {
      env: outsideEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    }).exited;
  await run('update', '-qq');
  await run('install', '-y', '-qq', '--no-install-recommends', 'chromium');
}
