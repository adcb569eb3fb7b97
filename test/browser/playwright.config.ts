// How the browser tests run: one real Chromium, one worker of ours for each file.
import { defineConfig } from '@playwright/test';

/** Playwright's own, of which the last list counts, and the pages that Chromium draws its address bar with: two for every window. */
const WITHOUT = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'OptimizationHints', 'AimEnabled', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

const QUIET = [
  '--no-sandbox',
  `--disable-features=${WITHOUT.join(',')}`,
  // One process for all pages, and none for drawing: each costs more to start than a page to load.
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const TIMEZONE = 'Europe/Berlin';
/** What a test tells of today is of the same day as in the browser. */
process.env.TZ = TIMEZONE;

// biome-ignore lint/style/noDefaultExport: Playwright asks for one.
export default defineConfig({
  testDir: '.',
  outputDir: '../../artifacts/browser/failures',
  timeout: 240_000,
  expect: { timeout: 60_000 },
  // Two cores, and each file has a worker and a browser of its own.
  workers: 2,
  fullyParallel: false,
  reporter: [['dot'], ['junit', { stripANSIControlSequences: true }]],
  use: {
    browserName: 'chromium',
    actionTimeout: 60_000,
    headless: true,
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: QUIET },
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: TIMEZONE,
    screenshot: 'only-on-failure',
    trace: 'off',
  },
});
