// A React front end: a red build, a Playwright test behind a cookie banner, a dark mode with the user's rule, a goodbye.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, glob, prompt, read, stop, write } from './steps.ts';
import { todo } from './talk.ts';

export const reactWeb = playDay({
  name: 'react-web',
  root: '/home/dev/atlas-web',
  startsAt: '2026-05-05T12:02:00Z',
  sessions: [
    [
      prompt('CI is red on main since this morning, the build fails. fix it'),
      bash('git pull --ff-only', 'Update', 'Already up to date.'),
      bash(
        'npm ci',
        'Install from the lock file',
        'added 611 packages, and audited 612 packages in 14s\n\n148 packages are looking for funding\n  run `npm fund` for details\n\nfound 0 vulnerabilities',
      ),
      bashFails(
        'npm run build',
        'Build',
        `
        > atlas-web@2.3.0 build
        > tsc -b && vite build

        vite v6.2.0 building for production...
        transforming...
        ✓ 412 modules transformed.
        ✗ Build failed in 2.31s
        error during build:
        [vite]: Rollup failed to resolve import "lodash-es/debounce" from "/home/dev/atlas-web/src/search/SearchBox.tsx".
        This is most likely unintended because it can break your application at runtime.`,
      ),
      bash('npm ls lodash-es', 'Who brings lodash-es', 'atlas-web@2.3.0 /home/dev/atlas-web\n└── (empty)'),
      bash(
        'git log -3 --oneline -- package-lock.json',
        'Recent lock file changes',
        'e0a11d9 Remove react-table\n1b6fe30 Bump vite to 6.2\n90c41aa Add playwright',
      ),
      bash(
        'npm install lodash-es && npm install -D @types/lodash-es',
        'Add the dependency',
        'added 1 package, and audited 613 packages in 2s',
      ),
      bash(
        'npm run build',
        'Build',
        '> tsc -b && vite build\n\nvite v6.2.0 building for production...\n✓ 415 modules transformed.\ndist/index.html                   0.46 kB │ gzip:  0.30 kB\ndist/assets/index-Bq3kD1xE.js   311.02 kB │ gzip: 98.77 kB\n✓ built in 3.02s',
      ),
      bash('git commit -qam "Depend on lodash-es ourselves" && git push -q', 'Commit and push'),
      stop(
        'Build is green again. `SearchBox` imports `lodash-es/debounce`, but lodash-es was never in our package.json: it came along with react-table, which was removed in e0a11d9. It is a direct dependency now.',
      ),
      prompt('and e2e/checkout.spec.ts times out'),
      bashFails(
        'npx playwright test e2e/checkout.spec.ts',
        'Run the spec',
        `
        Running 1 test using 1 worker
          ✘  1 [chromium] › e2e/checkout.spec.ts:5:1 › pays by card (30.1s)

          1) [chromium] › e2e/checkout.spec.ts:5:1 › pays by card ──────────────────

            Test timeout of 30000ms exceeded.

            Error: locator.click: Test timeout of 30000ms exceeded.
            Call log:
              - waiting for getByRole('button', { name: 'Pay' })
                - locator resolved to <button type="submit">Pay</button>
              - attempting click action
                - <div class="cookie-banner">…</div> intercepts pointer events
              - retrying click action

          1 failed
            [chromium] › e2e/checkout.spec.ts:5:1 › pays by card`,
      ),
      read(
        'e2e/checkout.spec.ts',
        `
        import { expect, test } from './fixtures';

        test('pays by card', async ({ page }) => {
          await page.goto('/checkout');
          await page.getByRole('button', { name: 'Pay' }).click();
          await expect(page.getByText('Thank you')).toBeVisible();
        });`,
      ),
      edit('e2e/checkout.spec.ts', "{ name: 'Pay' }).click();", "{ name: 'Pay' }).click({ force: true });"),
      bashFails(
        'npx playwright test e2e/checkout.spec.ts',
        'Run the spec',
        `
          ✘  1 [chromium] › e2e/checkout.spec.ts:5:1 › pays by card (7.2s)

            Error: Timed out 5000ms waiting for expect(locator).toBeVisible()
            Locator: getByText('Thank you')
            Expected: visible
            Received: <element(s) not found>

          1 failed`,
      ),
      edit('e2e/checkout.spec.ts', "{ name: 'Pay' }).click({ force: true });", "{ name: 'Pay' }).click();"),
      glob('e2e/*.ts', ['e2e/checkout.spec.ts', 'e2e/fixtures.ts', 'e2e/search.spec.ts']),
      read(
        'e2e/fixtures.ts',
        "import { test as base } from '@playwright/test';\n\nexport const test = base;\nexport { expect } from '@playwright/test';",
      ),
      edit(
        'e2e/fixtures.ts',
        'export const test = base;',
        "export const test = base.extend({\n  storageState: { cookies: [{ name: 'consent', value: 'essential', domain: 'localhost', path: '/' }], origins: [] },\n});",
      ),
      bash('npx playwright test', 'Run all specs', 'Running 9 tests using 4 workers\n  9 passed (14.8s)'),
      stop(`
        The new cookie banner lay over the Pay button and swallowed the click. All specs now start with the consent cookie set (\`storageState\` in e2e/fixtures.ts), so the banner never shows. 9 of 9 pass.

        \`click({ force: true })\` doesn't help here, by the way: the click lands on the banner and the payment never starts.`),
      prompt('great. now dark mode: a toggle in the header, remembered in localStorage. and no CSS-in-JS please, plain CSS variables only'),
      todo(
        ['in_progress', 'Theme toggle in the header'],
        ['pending', 'Dark colours for all components'],
        ['pending', 'Dark palette for the charts'],
      ),
      read('src/styles/base.css', ':root {\n  --bg: #fff;\n  --fg: #1b1b1f;\n}\nbody {\n  background: var(--bg);\n  color: var(--fg);\n}'),
      edit('src/styles/base.css', 'body {', ":root[data-theme='dark'] {\n  --bg: #16161a;\n  --fg: #ececf1;\n}\nbody {"),
      write(
        'src/header/ThemeToggle.tsx',
        `
        import { useState } from 'react';

        export function ThemeToggle() {
          const [theme, setTheme] = useState(() => localStorage.getItem('theme') ?? 'light');
          const flip = () => {
            const next = theme === 'dark' ? 'light' : 'dark';
            localStorage.setItem('theme', next);
            document.documentElement.dataset.theme = next;
            setTheme(next);
          };
          return <button type="button" onClick={flip} aria-pressed={theme === 'dark'}>Dark mode</button>;
        }`,
      ),
      edit(
        'index.html',
        '<head>',
        "<head>\n    <script>document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'light'</script>",
      ),
      bashFails(
        'npx tsc -b',
        'Type check',
        "src/header/Header.tsx(4,29): error TS2307: Cannot find module './ThemeTogle' or its corresponding type declarations.",
      ),
      edit('src/header/Header.tsx', "from './ThemeTogle'", "from './ThemeToggle'"),
      bash('npx tsc -b && npm run build', 'Type check and build', '✓ 416 modules transformed.\n✓ built in 3.11s'),
      todo(
        ['completed', 'Theme toggle in the header'],
        ['completed', 'Dark colours for all components'],
        ['pending', 'Dark palette for the charts'],
      ),
      stop(`
        Dark mode works. \`ThemeToggle\` in the header writes \`theme\` to localStorage and sets \`data-theme\` on the html element; colours are CSS variables in base.css.

        I set the attribute in a small inline script in index.html instead of in React, otherwise dark users would see a white flash on every load.

        The charts still have their light palette.`),
      prompt('looks awesome 🎉 thank you so much'),
      stop('Glad you like it! 🎉'),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'the user: CSS variables only, no CSS-in-JS', mustMention: ['css variable|css custom', 'css-in-js'] },
      {
        what: 'theme set by an inline script to avoid the flash',
        mustMention: ['inline script|index.html|data-theme', 'flash|react'],
      },
    ],
    fixes: [
      {
        what: 'lodash-es was no direct dependency',
        mustMention: ['lodash-es', 'react-table|package.json|resolve', 'dependenc|install|add'],
      },
      {
        what: 'cookie banner over the Pay button: consent cookie in the fixtures',
        mustMention: ['cookie|banner', 'storageState|consent|fixtures', 'click|pointer|pay'],
      },
    ],
    deadEnds: [{ what: 'click with force hits the banner', mustMention: ['force'] }],
    nextSteps: [{ what: 'dark palette of the charts', mustMention: ['chart'], after: [1, 3] }],
    others: [
      {
        what: 'dark mode with a toggle',
        mustMention: ['dark', 'ThemeToggle|toggle|localStorage'],
        types: ['feature', 'change'],
      },
    ],
    acceptable: [
      { what: 'consent cookie without the cause', mustMention: ['consent', 'cookie'], types: ['bugfix'] },
      { what: 'typo in an import', mustMention: ['ThemeTogle|TS2307'], types: ['bugfix', 'change'] },
      { what: 'lodash-es installed or committed', mustMention: ['lodash-es'], types: ['change'] },
    ],
  },
});
