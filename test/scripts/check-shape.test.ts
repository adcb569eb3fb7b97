// Proves of every rule of check-shape that it can fail, on small trees made for it.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { checkShape } from '../../scripts/check-shape.ts';
import { makeTree } from './make-tree.ts';

type Tree = Record<string, string>;
type Case = { rule: string; tree: Tree; expected: string[] };

const OPENING = '// What it is for.\n';

/** Every file gets the opening line, so the first line written in a case is line 2. */
function violationsOf(tree: Tree): string[] {
  const opened = Object.entries(tree).map(([path, text]) => [path, OPENING + text] as const);
  return report(Object.fromEntries(opened));
}

function report(tree: Tree): string[] {
  using folder = makeTree(tree);
  return checkShape(folder.path).violations.map(({ file, line, text }) => `${file}:${line}: ${text}`);
}

const X = 'export const x = 1;';
const T = 'export type T = 1;';
const useX = (from: string) => `import { x } from '${from}';\nexport const y = x;`;
const useType = (from: string) => `import type { T } from '${from}';\nexport type U = T;`;

describe('a tree that keeps the rules', () => {
  const tidy: Record<string, Tree> = {
    'imports along the table': {
      'src/core/a.ts': X,
      'src/core/b.ts': useX('./a.ts'),
      'src/paths.ts': X,
      'src/config.ts': useX('./paths.ts'),
      'src/store/c.ts': `${useX('../core/a.ts')}\nimport { Database } from 'bun:sqlite';\nexport const db = Database;`,
      'src/server/d.ts': useX('../config.ts'),
      'src/store/e.ts': useX('../paths.ts'),
      'src/cli/f.ts': useX('../server/d.ts'),
    },
    'config imported for its types': { 'src/config.ts': T, 'src/store/a.ts': useType('../config.ts') },
    'a cycle of types alone': { 'src/core/a.ts': `${useType('./b.ts')}\n${X}\n${T}`, 'src/core/b.ts': `${useX('./a.ts')}\n${T}` },
    'a hook that loads node:fs lazily': {
      'src/hook/hook.ts': "export const load = () => import('./spool.ts');",
      'src/hook/spool.ts': "import { writeFileSync } from 'node:fs';\nexport const write = writeFileSync;",
    },
    'environment, printing and imports in comments, strings and patterns': {
      'src/store/a.ts': [
        '// process.env and console.log and `',
        'export const a = "process.env";',
        `export const b = \`console.log('it') import('x') \${1 + 1} process.exit from 'x'\`;`,
        "export const c = /import 'x'|['\"`]process.env/;",
        'export const d = 4 / 2;',
        "export const e = Array.from('abc');",
      ].join('\n'),
    },
    'a viewer that knows the types of core': {
      'src/core/a.ts': T,
      'viewer/src/api.ts': X,
      'viewer/src/page.tsx': `${useType('../../src/core/a.ts')}\n${useX('./api.ts')}`,
    },
    'printing and exiting in cli': { 'src/cli/a.ts': 'console.log(1);\nprocess.stdout.write("");\nprocess.exit(1);' },
    'environment in paths': { 'src/paths.ts': 'export const home = process.env.HOME;' },
  };
  test.each(Object.entries(tidy))('passes: %s', (_, tree) => {
    expect(violationsOf(tree)).toEqual([]);
  });
});

describe('a tree that breaks a rule', () => {
  const cases: Case[] = [
    {
      rule: 'a folder imports what the table does not allow',
      tree: { 'src/store/a.ts': X, 'src/git/b.ts': useX('../store/a.ts') },
      expected: ['src/git/b.ts:2: git imports store (../store/a.ts), but git may import only: secrets, core'],
    },
    {
      rule: 'git imports client',
      tree: { 'src/client/a.ts': X, 'src/git/b.ts': useX('../client/a.ts') },
      expected: ['src/git/b.ts:2: git imports client'],
    },
    {
      rule: 'a type crosses the table',
      tree: { 'src/store/a.ts': T, 'src/agents/b.ts': useType('../store/a.ts') },
      expected: ['src/agents/b.ts:2: agents imports store'],
    },
    {
      rule: 'an inline type crosses the table',
      tree: { 'src/store/a.ts': T, 'src/agents/b.ts': "\nexport let b: import('../store/a.ts').T;" },
      expected: ['src/agents/b.ts:3: agents imports store'],
    },
    {
      rule: 'a re-export crosses the table',
      tree: { 'src/store/a.ts': X, 'src/agents/b.ts': "export * from '../store/a.ts';" },
      expected: ['src/agents/b.ts:2: agents imports store'],
    },
    {
      rule: 'a lazy import crosses the table',
      tree: { 'src/cli/a.ts': X, 'src/server/b.ts': "export const b = () => import('../cli/a.ts');" },
      expected: ['src/server/b.ts:2: server imports cli'],
    },
    {
      rule: 'the viewer imports code of src',
      tree: { 'src/core/a.ts': X, 'viewer/src/b.ts': useX('../../src/core/a.ts') },
      expected: ['viewer/src/b.ts:2: the viewer imports ../../src/core/a.ts'],
    },
    {
      rule: 'the viewer makes elements of a text',
      tree: { 'src/core/a.ts': X, 'viewer/src/b.ts': 'export const b = (e: Element, t: string) => { e.innerHTML = t; };' },
      expected: ['viewer/src/b.ts:2: `innerHTML` makes elements of a text'],
    },
    {
      rule: 'lists of words are short',
      tree: {
        'src/store/a.ts': `export const a = /(?:${'no|'.repeat(25)}end)/;`,
        'src/store/b.ts': `export const a = [\n${"'a word',\n".repeat(26)}];`,
        'src/store/c.ts': `export const a = /(?:${'no|'.repeat(24)}end)/;`,
      },
      expected: [
        'src/store/a.ts:2: lists more than 25 words; put them into a data file',
        'src/store/b.ts:3: lists more than 25 words; put them into a data file',
      ],
    },
    {
      rule: 'a parameter is the whole of a LIMIT',
      tree: { 'src/store/a.ts': "export const a = ['LIMIT ?1', 'LIMIT $most OFFSET ?', 'LIMIT ? + 0', 'LIMIT 5', 'LIMIT 10 * ?'];" },
      expected: [
        'src/store/a.ts:2: `LIMIT ?1` is planned anew at each call; write `LIMIT ?1 + 0`',
        'src/store/a.ts:2: `LIMIT $most` is planned anew at each call; write `LIMIT $most + 0`',
      ],
    },
    { rule: 'a folder is unknown', tree: { 'src/misc/a.ts': X }, expected: ['src/misc/a.ts:1: src/misc is not in the import table'] },
    {
      rule: 'a source imports from outside src',
      tree: { 'test/a.ts': X, 'src/store/b.ts': useX('../../test/a.ts') },
      expected: ['src/store/b.ts:2: imports test/a.ts, which is outside src'],
    },
    {
      rule: 'config is imported as a value by another folder',
      tree: { 'src/config.ts': X, 'src/store/a.ts': useX('../config.ts') },
      expected: ['src/store/a.ts:2: store imports config.ts; settings are passed in'],
    },
    {
      rule: 'core imports paths',
      tree: { 'src/paths.ts': X, 'src/core/a.ts': useX('../paths.ts') },
      expected: ['src/core/a.ts:2: core imports paths.ts'],
    },
    {
      rule: 'core imports the type of config',
      tree: { 'src/config.ts': T, 'src/core/a.ts': useType('../config.ts') },
      expected: ['src/core/a.ts:2: core imports config.ts'],
    },
    ...['node:path', 'bun:sqlite', 'zod'].map((name) => ({
      rule: `core imports ${name}`,
      tree: { 'src/core/a.ts': useX(name) },
      expected: [`src/core/a.ts:2: core imports ${name}, but core is pure`],
    })),
    ...['node:fs', 'zod'].map((name) => ({
      rule: `the hook reaches ${name}`,
      tree: { 'src/hook/hook.ts': useX('../client/a.ts'), 'src/client/a.ts': `${useX(name)}\n${X}` },
      expected: [`src/client/a.ts:2: the hook loads this file, and it imports ${name}`],
    })),
    {
      rule: 'two files import each other',
      tree: { 'src/core/a.ts': `${useX('./b.ts')}\n${X}`, 'src/core/b.ts': `\n${useX('./a.ts')}\n${X}` },
      expected: ['src/core/b.ts:3: closes an import cycle: src/core/a.ts → src/core/b.ts → src/core/a.ts'],
    },
    {
      rule: 'three files import each other in a ring, one of them lazily',
      tree: {
        'src/core/a.ts': `${useX('./b.ts')}\n${X}`,
        'src/core/b.ts': `${useX('./c.ts')}\n${X}`,
        'src/core/c.ts': `${X}\nexport const load = () => import('./a.ts');`,
      },
      expected: ['src/core/c.ts:3: closes an import cycle'],
    },
    {
      rule: 'a file has 401 lines',
      tree: { 'src/core/a.ts': '\n'.repeat(400) },
      expected: ['src/core/a.ts:401: has 401 lines, more than 400'],
    },
    {
      rule: 'a line has 141 characters, whatever it is',
      tree: { 'src/core/a.ts': `// ${'x'.repeat(137)}\n// ${'x'.repeat(138)}`, 'viewer/src/a.tsx': `// ${'é'.repeat(138)}` },
      expected: ['src/core/a.ts:3: has 141 characters, more than 140', 'viewer/src/a.tsx:2: has 141 characters, more than 140'],
    },
    ...['process.env.HOME', 'Bun.env.HOME', 'import.meta.env.HOME', "process['env']", `\`\${process.env.HOME}\``].map((read) => ({
      rule: `the environment is read by ${read}`,
      tree: { 'src/server/a.ts': `\nexport const a = ${read};` },
      expected: ['src/server/a.ts:3: … reads the environment'],
    })),
    {
      rule: 'the environment is taken out of process',
      tree: { 'src/server/a.ts': 'const { env } = process;\nexport const a = env;' },
      expected: ['src/server/a.ts:2: `} = process` reads the environment'],
    },
    {
      rule: 'process is imported',
      tree: { 'src/server/a.ts': "import { env } from 'node:process';\nexport const a = env;" },
      expected: ['src/server/a.ts:2: imports node:process'],
    },
    ...['console.error(1)', 'process.stdout.write("")', 'process.stderr.write("")', 'Bun.write(Bun.stdout, "")'].map((print) => ({
      rule: `the server prints by ${print}`,
      tree: { 'src/server/a.ts': `${print};` },
      expected: ['src/server/a.ts:2: … prints'],
    })),
    ...['process.exit(1)', 'process.exitCode = 1'].map((exit) => ({
      rule: `the server ends the process by ${exit}`,
      tree: { 'src/server/a.ts': `${exit};` },
      expected: ['src/server/a.ts:2: `process.exit'],
    })),
    ...['Event.ts', 'read_file.ts', 'readFile.ts'].map((name) => ({
      rule: `a file is called ${name}`,
      tree: { [`src/core/${name}`]: X },
      expected: [`src/core/${name}:1: "${name}" is not kebab-case`],
    })),
    ...['session-manager.ts', 'helpers.ts', 'utils.ts', 'service.ts'].map((name) => ({
      rule: `a file is called ${name}`,
      tree: { [`src/core/${name}`]: X },
      expected: [`src/core/${name}:1: "${name}" says nothing`],
    })),
    { rule: 'a folder is called utils', tree: { 'src/core/utils/a.ts': X }, expected: ['src/core/utils/a.ts:1: "utils" says nothing'] },
    {
      rule: 'a file that is not TypeScript is badly named',
      tree: { 'src/store/Schema.sql': '', 'src/core/a.ts': X },
      expected: ['src/store/Schema.sql:1: "Schema.sql" is not kebab-case'],
    },
    {
      rule: 'an imported file does not exist',
      tree: { 'src/core/a.ts': useX('./b.ts') },
      expected: ['src/core/a.ts:2: imports ./b.ts, which does not exist'],
    },
    {
      rule: 'an import is computed',
      tree: { 'src/server/a.ts': 'export const a = (name: string) => import(name);' },
      expected: ['src/server/a.ts:2: imports a computed path'],
    },
  ];
  test.each(cases.map((entry) => [entry.rule, entry] as const))('fails when %s', (_, { tree, expected }) => {
    const found = violationsOf(tree);
    expect(found).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) {
      const [start = '', rest = ''] = pattern.split('…');
      expect(found[index]).toStartWith(start);
      expect(found[index]).toContain(rest);
    }
  });

  test('fails when a file opens without saying what it is for', () => {
    expect(report({ 'src/core/a.ts': X })).toEqual(['src/core/a.ts:1: does not open with a // line saying what it is for']);
  });

  test('fails when there is nothing to check', () => {
    expect(report({ 'readme.md': '' })).toEqual(['src:1: holds no TypeScript file; is this the root of the project?']);
  });
});

describe('the command', () => {
  const script = join(import.meta.dir, '../../scripts/check-shape.ts');
  const run = (root: string) => Bun.spawnSync([process.execPath, script, root]);

  test('prints ok and the number of files, and exits 0', () => {
    using folder = makeTree({ 'src/core/a.ts': OPENING + X });
    const { exitCode, stdout } = run(folder.path);
    expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 0, stdout: 'ok: 1 files\n' });
  });

  test('prints a line per violation and exits 1', () => {
    using folder = makeTree({ 'src/core/a.ts': `${OPENING}console.log(1);` });
    const { exitCode, stdout } = run(folder.path);
    expect(exitCode).toBe(1);
    expect(stdout.toString()).toMatch(/^src\/core\/a\.ts:2: .*prints.*\n$/);
  });
});
