// Builds dist/ from src/ and makes plugin/ self-contained: after this, running claude-mem needs Bun and nothing else.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import { linkRuntime, publishFile, publishFiles } from './publish.ts';
import { collectLicences } from './third-party.ts';

/** On the hook path a bundle is minified and holds no package. Another bundle's entry that is imported lazily stays a file of its own. */
type Bundle = {
  entry: string;
  output: string;
  isHookPath: boolean;
  /** Its start does not count: it works for long, or for a model that asked it. Without bytecode it is a third of the size. */
  isPatient?: boolean;
  /** Waits at its top level, which is worth more than bytecode where there is little code. */
  isModule?: boolean;
};

const BUNDLES: Bundle[] = [
  { entry: 'src/hook/hook.ts', output: 'hook.js', isHookPath: true, isModule: true },
  { entry: 'src/hook/run-hook.ts', output: 'run-hook.js', isHookPath: true },
  { entry: 'src/hook/clean-payload.ts', output: 'clean-payload.js', isHookPath: true },
  { entry: 'src/client/start-worker.ts', output: 'start-worker.js', isHookPath: true },
  { entry: 'src/hook/spool.ts', output: 'spool.js', isHookPath: true },
  { entry: 'src/search/embed/child.ts', output: 'embedder.js', isHookPath: false },
  { entry: 'src/import/child.ts', output: 'importer.js', isHookPath: false, isPatient: true },
  { entry: 'src/backup/child.ts', output: 'backup.js', isHookPath: false, isPatient: true },
  { entry: 'src/server/background.ts', output: 'background.js', isHookPath: false },
  { entry: 'src/cli/worker.ts', output: 'worker.js', isHookPath: false },
  { entry: 'src/cli/mcp.ts', output: 'mcp.js', isHookPath: false },
  { entry: 'src/mcp/run-tools.ts', output: 'mcp-tools.js', isHookPath: false, isPatient: true },
  { entry: 'src/cli/demo/demo.ts', output: 'demo.js', isHookPath: false, isPatient: true },
  { entry: 'src/cli/main.ts', output: 'cli.js', isHookPath: false },
];

const WORKER = ['worker.js', 'background.js'];

const LAUNCHER = 'bin/start-bun';

// Bytecode saves a third of the start of cli.js and worker.js. It needs CommonJS, hence no top-level
// await, and there Bun would replace these names by where the source lay on the machine that built it.
const PLACES_IN_COMMONJS = {
  'import.meta.dir': 'module.path',
  'import.meta.dirname': 'module.path',
  'import.meta.path': 'module.filename',
  'import.meta.filename': 'module.filename',
};

if (import.meta.main) await main(resolve(import.meta.dir, '..'));

async function main(root: string): Promise<void> {
  try {
    await build(root);
    // Only now: it runs code of the tree that build() has found whole.
    const { buildEmbedder } = await import('./build-embedder.ts');
    await buildEmbedder(root);
    const { buildViewer } = await import('./build-viewer.ts');
    await buildViewer(root);
  } catch (error) {
    console.error(...(error instanceof AggregateError ? error.errors : [error]));
    process.exit(1);
  }
}

/** Writes root/dist, root/plugin/dist and root/plugin/bin. A process that runs from them meanwhile sees whole files, old or new. */
export async function build(root: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  requirePinnedBun(manifest.dependencies.bun);
  requireEntries(root);
  requirePlainPath(root);
  const workshop = mkdtempSync(join(tmpdir(), 'claude-mem-build-'));
  try {
    const bundled: string[] = [];
    for (const bundle of BUNDLES) {
      bundled.push(...(await buildBundle({ root, bundle, outdir: workshop, version: manifest.version })));
    }
    const licences = collectLicences(bundled);
    writeFileSync(join(workshop, 'claude-mem.1'), makeManual(workshop));
    if (licences !== '') writeFileSync(join(workshop, 'third-party-licences.txt'), licences);
    publishFiles(workshop, join(root, 'dist'));
    publishFiles(workshop, join(root, 'plugin/dist'));
  } finally {
    rmSync(workshop, { recursive: true });
  }
  linkRuntime(realpathSync(process.execPath), join(root, 'plugin/bin'));
  publishFile(join(root, LAUNCHER), join(root, 'plugin', LAUNCHER));
}

/** From the table of commands, by the program that was just built. */
function makeManual(workshop: string): string {
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, join(workshop, 'cli.js'), 'help', '--man'], {
    env: { HOME: workshop },
  });
  if (!success) throw new Error(`The manual page could not be made: ${stderr}`);
  return stdout.toString();
}

/** Bytecode is valid only for the Bun that made it, and plugin/bin gets the Bun that builds. */
function requirePinnedBun(pinned: string): void {
  if (Bun.version === pinned) return;
  throw new Error(`This is Bun ${Bun.version}, but package.json pins ${pinned}. Build with \`npm run prepare\`.`);
}

function requireEntries(root: string): void {
  const missing = [...BUNDLES.map(({ entry }) => entry), LAUNCHER].filter((entry) => !existsSync(join(root, entry)));
  if (missing.length > 0) throw new Error(`Cannot build, these entry points do not exist: ${missing.join(', ')}`);
}

/** Bun writes the path of a macro into code as it is. */
function requirePlainPath(root: string): void {
  if (!/["'`\\]/.test(root)) return;
  throw new Error(`Cannot build in ${root}: Bun's macros fail below a folder with a quote or a backslash in its name. Move the clone.`);
}

type BundleOrder = { root: string; bundle: Bundle; outdir: string; version: string };

/** Returns the files that went into it. */
async function buildBundle({ root, bundle, outdir, version }: BundleOrder): Promise<string[]> {
  const { metafile } = await Bun.build({
    metafile: true,
    entrypoints: [join(root, bundle.entry)],
    root,
    outdir,
    naming: bundle.output,
    target: 'bun',
    format: bundle.isModule ? 'esm' : 'cjs',
    bytecode: !bundle.isPatient && !bundle.isModule,
    // Names stay in the worker, for whoever reads its log; spaces, and names elsewhere, are megabytes on every disk.
    minify: !WORKER.includes(bundle.output) || { whitespace: true, syntax: true },
    define: { CLAUDE_MEM_VERSION: JSON.stringify(version), ...(bundle.isModule ? {} : PLACES_IN_COMMONJS) },
    plugins: [keepSiblingsApart(root), ...(bundle.isHookPath ? [refusePackages(bundle)] : [])],
  });
  const built = readFileSync(join(outdir, bundle.output), 'utf8');
  refuseBuildPaths(root, bundle, built);
  if (bundle.output === 'hook.js') refuseEagerImports(built);
  return Object.keys(metafile?.inputs ?? {});
}

/** A lazy import of another bundle's entry becomes an import of that bundle, so the common path does not load it. */
function keepSiblingsApart(root: string): BunPlugin {
  const outputs = new Map(BUNDLES.map(({ entry, output }) => [join(root, entry), `./${output}`]));
  return {
    name: 'keep-siblings-apart',
    setup(builder) {
      builder.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const sibling = kind === 'dynamic-import' ? outputs.get(resolve(resolveDir, path)) : undefined;
        return sibling === undefined ? undefined : { path: sibling, external: true };
      });
    },
  };
}

function refusePackages({ output }: Bundle): BunPlugin {
  return {
    name: 'refuse-packages',
    setup(builder) {
      builder.onLoad({ filter: /[\\/]node_modules[\\/]/ }, ({ path }) => {
        throw new Error(`${output} must hold nothing but our own code and built-ins, but it imports ${path}`);
      });
    },
  };
}

function refuseBuildPaths(root: string, { output }: Bundle, built: string): void {
  const starts = ['"', "'", '`'].flatMap((quote) => [`${quote}${root}`, `${quote}file://${root}`]);
  if (!starts.some((start) => built.includes(start))) return;
  throw new Error(`${output} names the folder it was built in; use import.meta.dir or import.meta.path, not import.meta.url`);
}

/** Bundling a lazily imported file lifts its own imports to the top, where every tool call pays for them. */
function refuseEagerImports(built: string): void {
  const eager = new Bun.Transpiler({ loader: 'js' }).scanImports(built).filter(({ kind }) => kind !== 'dynamic-import');
  if (eager.length === 0) return;
  const names = eager.map(({ path }) => path).join(', ');
  throw new Error(`hook.js loads ${names} at every start; import it in a file that has its own bundle, such as spool.js`);
}
