// Finds the Bun that npm installed with this package, wherever npm put it and whether or not its install script ran.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Without its install script, bun/bin/bun.exe is a text file of 450 bytes that only prints an error.
const MIN_BINARY_BYTES = 1_000_000;

/** The path of a runnable Bun, or null. Bun's install script moves the binary out of the platform package, so both places count. */
export function findBun(from = import.meta.url) {
  const manifest = resolveFrom(from, 'bun/package.json');
  if (manifest === null) return null;
  const installed = join(dirname(manifest), 'bin', 'bun.exe');
  return isBinary(installed) ? installed : findInPlatformPackages(manifest);
}

function findInPlatformPackages(manifest) {
  const { optionalDependencies = {} } = createRequire(manifest)(manifest);
  for (const name of Object.keys(optionalDependencies)) {
    const platformManifest = resolveFrom(manifest, `${name}/package.json`);
    if (platformManifest === null) continue;
    const folder = join(dirname(platformManifest), 'bin');
    const binary = [join(folder, 'bun'), join(folder, 'bun.exe')].find(isBinary);
    // npm may install packages for both C libraries; only the one of this machine starts.
    if (binary !== undefined && spawnSync(binary, ['--version']).status === 0) return binary;
  }
  return null;
}

function resolveFrom(from, request) {
  try {
    return createRequire(from).resolve(request);
  } catch {
    return null; // Not installed here: the caller looks elsewhere or says so.
  }
}

function isBinary(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size > MIN_BINARY_BYTES;
}
