// Compiles one kernel of src/search/wasm from AssemblyScript to WebAssembly.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const WASM_FOLDER = 'src/search/wasm';

/** Every file directly in the folder is a kernel; folders hold the parts that kernels import. */
export function listKernels(root: string): string[] {
  return [...new Bun.Glob('*.ts').scanSync({ cwd: join(root, WASM_FOLDER) })].map((file) => file.slice(0, -3)).sort();
}

/** What every kernel could be made of, in the order of its paths. */
export function readKernelSources(root: string): string {
  const paths = [...new Bun.Glob('**/*.ts').scanSync({ cwd: join(root, WASM_FOLDER) })].sort();
  return paths.map((path) => `${path}\n${readFileSync(join(root, WASM_FOLDER, path), 'utf8')}`).join('\n');
}

export async function compileKernel(root: string, name: string): Promise<Uint8Array> {
  // Only when something must be compiled: the compiler takes half a second to load.
  const { main } = await import('assemblyscript/asc');
  let compiled: Uint8Array | null = null;
  const options = [
    ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'],
    // The host brings the memory, so that it can read files into it; the kernel places nothing there by itself.
    ...['--importMemory', '--disableWarning', '112', '--baseDir', join(root, WASM_FOLDER)],
  ];
  const { error, stderr } = await main([`${name}.ts`, ...options, '--outFile', 'out.wasm'], {
    // The compiler adds an extension to imports; ours have theirs, as everywhere in src.
    readFile: (path: string, folder: string) => readIfThere(join(folder, path.replace(/\.ts\.ts$/, '.ts'))),
    writeFile: (_path: string, contents: string | Uint8Array) => {
      if (typeof contents !== 'string') compiled = contents;
    },
  });
  if (error || compiled === null) throw new Error(`The kernel ${name} does not compile:\n${stderr}`, { cause: error });
  return compiled;
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
