// The files of the viewer, read once into memory: no path that a browser asks for ever touches the disk.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { wordTable } from '../../core/text.ts';

export type StaticFiles = {
  isKnown: (path: string) => boolean;
  answer: (path: string, options: { acceptsGzip: boolean }) => Response;
};

/** Pages are the viewer's own affair: each is the one document. API routes begin otherwise. */
const PAGES = '/view/';
const DOCUMENT = '/index.html';

const TYPES = wordTable<string>({
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
});
/** The others are packed already. */
const PACKED = /\.(ico|png|woff2)$/;

type File = { bytes: Uint8Array<ArrayBuffer>; packed: Uint8Array<ArrayBuffer> | null; type: string };

export function createStaticFiles(folder = findViewer(import.meta.dir)): StaticFiles {
  let loaded: Map<string, File> | null = null;
  const files = () => {
    loaded ??= loadFiles(folder);
    return loaded;
  };
  const isPage = (path: string) => path === '/' || path.startsWith(PAGES);
  return {
    isKnown: (path) => isPage(path) || files().has(path),
    answer: (path, { acceptsGzip }) => {
      const file = files().get(isPage(path) ? DOCUMENT : path);
      if (!file) return new Response(NOT_BUILT, { status: 503, headers: { 'Content-Type': TYPES.txt ?? '' } });
      const packed = acceptsGzip ? file.packed : null;
      const encoding = packed ? { 'Content-Encoding': 'gzip' } : undefined;
      return new Response(packed ?? file.bytes, {
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
      return [`/${relative(folder, path).split(sep).join('/')}`, loadFile(path)];
    }),
  );
}

function loadFile(path: string): File {
  const bytes = new Uint8Array(readFileSync(path));
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return { bytes, packed: PACKED.test(path) ? null : Bun.gzipSync(bytes), type };
}
