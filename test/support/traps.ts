// What a repository can lay out so that a runtime started there runs its code: files and variables, each of which writes down that it worked.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Traps = {
  /** Where one would work; the same lies above it and in `sub`. */
  project: string;
  sub: string;
  variables: Record<string, string>;
  /** The command lines of the processes that ran the planted code. */
  caught: () => string[];
  reset: () => void;
};

/** How one of the two files may say that all that is loaded is `evil.ts`. */
export const REDIRECTIONS: Record<string, Record<string, unknown>> = {
  'a tsconfig.json': { 'tsconfig.json': { compilerOptions: { paths: { '/*': ['./evil.ts'] } } } },
  'a tsconfig.json for every name': { 'tsconfig.json': { compilerOptions: { baseUrl: '.', paths: { '*': ['evil.ts'] } } } },
  'a tsconfig.json that extends another': {
    'tsconfig.json': { extends: './deeper/base.json' },
    'deeper/base.json': { compilerOptions: { paths: { '/*': ['../evil.ts'] } } },
  },
  'a jsconfig.json': { 'jsconfig.json': { compilerOptions: { paths: { '/*': ['./evil.ts'] } } } },
};

const PACKAGES = ['fs', 'node:fs', 'path', 'bun', 'bun:sqlite', 'zod', 'commander', 'hono'];

/** `root` is made a folder that holds a folder that holds a folder, all of them full of traps. */
export function layTraps(root: string, redirection = REDIRECTIONS['a tsconfig.json']): Traps {
  const [project, mark] = [join(root, 'project'), join(root, 'caught')];
  const sub = join(project, 'sub');
  for (const folder of [root, project, sub]) layInto(folder, mark, redirection ?? {});
  const evil = join(project, 'evil.ts');
  const variables = {
    BUN_OPTIONS: `--preload ${evil}`,
    BUN_INSPECT_PRELOAD: evil,
    BUN_CONFIG_REGISTRY: 'http://127.0.0.1:1/',
    BUN_JSC_functionoverrides: join(project, 'overrides'),
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(project, 'cache'),
    NODE_PATH: join(project, 'node_modules'),
    NODE_COMPILE_CACHE: join(root, 'caught'),
  };
  return {
    project,
    sub,
    variables,
    caught: () => (existsSync(mark) ? readFileSync(mark, 'utf8').trim().split('\n') : []),
    reset: () => rmSync(mark, { recursive: true, force: true }),
  };
}

function layInto(folder: string, mark: string, redirection: Record<string, unknown>): void {
  const lay = (name: string, content: unknown) => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const write = `require('node:fs').appendFileSync(${JSON.stringify(mark)}, process.argv.join(' ') + '\\n');`;
  lay('evil.ts', write);
  lay('evil.cjs', write);
  for (const name of ['bunfig.toml', '.bunfig.toml']) lay(name, 'preload = ["./evil.ts"]\n');
  for (const kind of ['', '.local', '.development', '.production', '.test'])
    lay(`.env${kind}`, `CLAUDE_MEM_DATA_DIR=${folder}/data\nBUN_OPTIONS=--preload ${folder}/evil.ts\nHOME=${folder}\n`);
  lay('package.json', {
    type: 'commonjs',
    main: './evil.ts',
    exports: './evil.ts',
    imports: { '#*': './evil.ts' },
    browser: { fs: './evil.ts', './cli.js': './evil.ts' },
    scripts: { 'cli.js': `echo script >> '${mark}'`, 'hook.js': `echo script >> '${mark}'` },
  });
  for (const name of PACKAGES) {
    lay(`node_modules/${name}/package.json`, { name, main: 'index.js' });
    lay(`node_modules/${name}/index.js`, write);
  }
  for (const name of ['cli.js', 'hook.js', 'dist/cli.js', 'dist/hook.js', 'mcp.js']) lay(name, write);
  // What every bundle of ours holds somewhere; in its place comes the planted code.
  lay('overrides', `override #{return 1}#\nwith #{${write}}#\n`);
  for (const [name, content] of Object.entries(redirection)) lay(name, content);
}
