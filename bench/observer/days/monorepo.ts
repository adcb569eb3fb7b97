// A pnpm monorepo: helpers pulled into a package, a correction about barrels, a cycle, a session left in the middle of a turn.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, glob, grep, prompt, read, stop, write } from './steps.ts';
import { todo } from './talk.ts';

export const monorepo = playDay({
  name: 'monorepo',
  root: '/home/dev/acme',
  startsAt: '2026-04-21T14:10:00Z',
  sessions: [
    [
      prompt('apps/web and apps/admin have nearly the same date helpers. pull them into packages/dates (@acme/dates) and use that in both'),
      bash('pnpm -v && ls apps packages', 'Look around', '9.15.4\napps:\nadmin\nmobile\nweb\n\npackages:\nmoney\ntsconfig\nui'),
      grep('formatDay|parseDay|weekOf', ['apps/web/src/lib/dates.ts', 'apps/admin/src/utils/date.ts', 'apps/mobile/src/date.ts']),
      read(
        'apps/web/src/lib/dates.ts',
        "import { format, parse, startOfISOWeek } from 'date-fns';\nimport type { Locale } from '../i18n/locale';\n\nexport const formatDay = (d: Date, l: Locale) => format(d, l.day);\nexport const parseDay = (s: string) => parse(s, 'yyyy-MM-dd', new Date());",
      ),
      read(
        'apps/admin/src/utils/date.ts',
        "import { format, startOfISOWeek } from 'date-fns';\n\nexport const formatDay = (d: Date) => format(d, 'dd.MM.yyyy');\nexport const weekOf = (d: Date) => startOfISOWeek(d);",
      ),
      write(
        'packages/dates/package.json',
        '{\n  "name": "@acme/dates",\n  "version": "0.0.0",\n  "type": "module",\n  "exports": { ".": "./src/index.ts" },\n  "dependencies": { "date-fns": "^4.1.0" }\n}',
      ),
      write(
        'packages/dates/src/format-day.ts',
        "import { format } from 'date-fns';\nimport type { Locale } from '@acme/ui/locale';\n\nexport const formatDay = (d: Date, l: Locale) => format(d, l.day);",
      ),
      write(
        'packages/dates/src/week-of.ts',
        "import { startOfISOWeek } from 'date-fns';\n\nexport const weekOf = (d: Date) => startOfISOWeek(d);",
      ),
      write('packages/dates/src/index.ts', "export * from './format-day';\nexport * from './week-of';"),
      edit('apps/web/src/orders/OrderRow.tsx', "import { formatDay } from '../lib/dates';", "import { formatDay } from '@acme/dates';"),
      edit(
        'apps/admin/src/pages/Report.tsx',
        "import { formatDay, weekOf } from '../utils/date';",
        "import { formatDay, weekOf } from '@acme/dates';",
      ),
      bashFails(
        'pnpm -r exec tsc --noEmit',
        'Type check everything',
        `
        apps/admin typecheck$ tsc --noEmit
        apps/admin typecheck: src/pages/Report.tsx(3,35): error TS2307: Cannot find module '@acme/dates' or its corresponding type declarations.
        apps/web typecheck: src/orders/OrderRow.tsx(2,27): error TS2307: Cannot find module '@acme/dates' or its corresponding type declarations.
         ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command failed with exit code 2: tsc --noEmit`,
        2,
      ),
      edit('apps/web/package.json', '"@acme/ui": "workspace:*"', '"@acme/dates": "workspace:*",\n    "@acme/ui": "workspace:*"'),
      edit('apps/admin/package.json', '"@acme/ui": "workspace:*"', '"@acme/dates": "workspace:*",\n    "@acme/ui": "workspace:*"'),
      bash(
        'pnpm install',
        'Link the workspace',
        'Scope: all 7 workspace projects\nPackages: +1\n+\nProgress: resolved 1204, reused 1203, downloaded 0, added 1, done\nDone in 3.1s',
      ),
      bash(
        'pnpm -r exec tsc --noEmit',
        'Type check everything',
        'apps/admin typecheck: Done\napps/web typecheck: Done\npackages/dates typecheck: Done',
      ),
      bash(
        'rm apps/web/src/lib/dates.ts apps/admin/src/utils/date.ts && pnpm -r test --run | tail -5',
        'Delete the copies and test',
        ' Test Files  88 passed (88)\n      Tests  641 passed (641)',
      ),
      stop(`
        \`packages/dates\` holds formatDay, parseDay and weekOf now; web and admin use it and their copies are gone. tsc first did not find \`@acme/dates\` (TS2307) because neither app had it as a \`workspace:*\` dependency; both have it now. 641 tests pass.

        I kept date-fns rather than moving to Temporal, because Safari does not ship Temporal yet.

        apps/mobile still has its own copy. I left it alone since you only named the other two.`),
      prompt(
        'no barrel files please! drop the index.ts of packages/dates and import from subpaths (@acme/dates/format-day). barrels killed our build times before',
      ),
      bash('rm packages/dates/src/index.ts', 'Remove the barrel'),
      edit('packages/dates/package.json', '"exports": { ".": "./src/index.ts" }', '"exports": { "./*": "./src/*.ts" }'),
      edit('apps/web/src/orders/OrderRow.tsx', "from '@acme/dates';", "from '@acme/dates/format-day';"),
      edit(
        'apps/admin/src/pages/Report.tsx',
        "import { formatDay, weekOf } from '@acme/dates';",
        "import { formatDay } from '@acme/dates/format-day';\nimport { weekOf } from '@acme/dates/week-of';",
      ),
      bashFails(
        'pnpm eslint . --max-warnings 0',
        'Lint',
        `
        /home/dev/acme/packages/dates/src/format-day.ts
          2:1  error  Dependency cycle via @acme/ui/locale:1=>@acme/ui/DatePicker:3  import/no-cycle

        ✖ 1 problem (1 error, 0 warnings)`,
      ),
      read('packages/ui/src/locale.ts', "export { DatePicker } from './DatePicker';\nexport type Locale = { day: string; time: string };"),
      write('packages/dates/src/locale.ts', 'export type Locale = { day: string; time: string };'),
      edit('packages/dates/src/format-day.ts', "from '@acme/ui/locale'", "from './locale'"),
      edit(
        'packages/ui/src/locale.ts',
        'export type Locale = { day: string; time: string };',
        "export type { Locale } from '@acme/dates/locale';",
      ),
      bash(
        'pnpm eslint . --max-warnings 0 && pnpm -r exec tsc --noEmit',
        'Lint and type check',
        'apps/admin typecheck: Done\napps/web typecheck: Done\npackages/dates typecheck: Done',
      ),
      bash('git add -A && git commit -qm "Extract @acme/dates, subpath imports only"', 'Commit'),
      stop(
        'Barrel is gone, imports go to subpaths. That surfaced an import cycle (dates → ui/locale → DatePicker → dates): the `Locale` type now lives in packages/dates and ui re-exports the type. eslint and tsc are clean, committed. A changeset for @acme/dates is still missing.',
      ),
      end(),
    ],
    [
      prompt('do the same for apps/mobile, and write the changeset'),
      todo(['in_progress', 'Use @acme/dates in apps/mobile'], ['pending', 'Write the changeset']),
      glob('apps/mobile/src/**/*.ts', ['apps/mobile/src/date.ts', 'apps/mobile/src/feed.ts']),
      edit('apps/mobile/src/feed.ts', "import { formatDay } from './date';", "import { formatDay } from '@acme/dates/format-day';"),
      bashFails(
        'pnpm --filter mobile test',
        'Test mobile',
        `
        FAIL src/feed.test.ts
          ● Test suite failed to run
            Cannot find module '@acme/dates/format-day' from 'src/feed.ts'
            at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)

        Test Suites: 1 failed, 11 passed, 12 total`,
      ),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'date-fns kept, no Temporal', mustMention: ['temporal', 'date-fns|safari'] },
      {
        what: 'the user: no barrels, subpath imports',
        mustMention: ['barrel|index.ts', 'subpath|format-day|build time'],
      },
    ],
    fixes: [
      {
        what: 'TS2307: @acme/dates missing as workspace dependency',
        mustMention: ['@acme/dates', 'TS2307|not find|cannot find', 'workspace|package.json|dependenc'],
      },
      { what: 'import cycle between dates and ui', mustMention: ['cycle', 'locale|dates'] },
    ],
    deadEnds: [],
    nextSteps: [
      { what: 'mobile still has its own copy', mustMention: ['mobile'], after: [1, 1] },
      { what: 'changeset is missing', mustMention: ['changeset'], after: [1, 2] },
      { what: 'mobile not done when the user left', mustMention: ['mobile'], after: [2, 1] },
    ],
    others: [
      {
        what: 'date helpers extracted into packages/dates',
        mustMention: ['packages/dates|@acme/dates', 'web|admin|formatDay|helper|extract'],
        types: ['refactor', 'feature', 'change'],
      },
    ],
    acceptable: [
      { what: 'mobile left alone for now', mustMention: ['mobile', 'left|alone|copy'] },
      { what: 'barrel removed', mustMention: ['barrel|subpath|index.ts'], types: ['refactor', 'change'] },
      { what: 'the commit', mustMention: ['extract @acme/dates|committed'] },
      {
        what: 'jest does not resolve the subpath in mobile',
        mustMention: ['mobile|feed', 'cannot find module|@acme/dates'],
      },
    ],
  },
});
