// The files of the viewer, read once into memory: no path that a browser asks for ever touches the disk.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export type StaticFiles = ReturnType<typeof createStaticFiles>;

/** Pages are the viewer's own affair: each is the one document. API routes begin otherwise. */
const isPage = (path: string) => path === '/' || path.startsWith('/view/');
const DOCUMENT = '/index.html';

type File = { bytes: Uint8Array<ArrayBuffer>; packed: Uint8Array<ArrayBuffer>; type: string };

export function createStaticFiles(folder = findViewer(import.meta.dir)) {
  let loaded: Map<string, File> | null = null;
  const files = () => {
    loaded ??= loadFiles(folder);
    return loaded;
  };
  return {
    isKnown: (path: string) => isPage(path) || files().has(path),
    answer: (path: string, { acceptsGzip }: { acceptsGzip: boolean }) => {
      const file = files().get(isPage(path) ? DOCUMENT : path);
      if (!file) return new Response(NOT_BUILT, { status: 503, headers: { 'Content-Type': 'text/plain;charset=utf-8' } });
      const encoding = acceptsGzip ? { 'Content-Encoding': 'gzip' } : undefined;
      return new Response(acceptsGzip ? file.packed : file.bytes, {
        headers: { 'Content-Type': file.type, Vary: 'Accept-Encoding', ...encoding },
      });
    },
  };
}

const NOT_BUILT = 'The viewer is not built. Run `npm run prepare` in the folder of claude-mem, then `claude-mem restart`.\n';

/** Beside the bundle; for a worker run from its source, where the build puts it. */
function findViewer(here: string): string {
  const beside = join(here, 'viewer');
  return existsSync(beside) ? beside : join(here, '../../../dist/viewer');
}

function loadFiles(folder: string): Map<string, File> {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = new Uint8Array(readFileSync(path));
      return [`/${relative(folder, path).split(sep).join('/')}`, { bytes, packed: Bun.gzipSync(bytes), type: Bun.file(path).type }];
    }),
  );
}
