// A small disk of its own for one test, which can be filled to the last byte: an ext4 file system in a file, or memory. Only root can mount.
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SmallDisk = {
  folder: string;
  /** The file that an ext4 disk lies in. */
  image: string;
  freeBytes: () => number;
  /** Until nothing more fits, or only so much. */
  fill: (leftBytes?: number) => void;
  /** What filled it is deleted. */
  empty: () => void;
  dispose: () => void;
};

type Kind = { kind: 'ext4'; megabytes: number } | { kind: 'tmpfs'; megabytes: number; files?: number };

/** Null: it can be done. Else why not. */
export const whyNoDisk: string | null =
  process.platform === 'linux' && process.getuid?.() === 0 && tryToMount() ? null : 'mounting needs root on Linux';

export function createSmallDisk(kind: Kind): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-disk-'));
  const image = `${folder}.img`;
  if (kind.kind === 'ext4') {
    run('truncate', '-s', `${kind.megabytes}M`, image);
    // Blocks as a large disk has them: SQLite takes its shared memory page by page, and half a page of room would end the process.
    run('mkfs.ext4', '-q', '-m', '0', '-b', '4096', image);
    run('mount', '-o', 'loop', image, folder);
    rmdirSync(join(folder, 'lost+found'));
  } else {
    const files = kind.files ? `,nr_inodes=${kind.files}` : '';
    run('mount', '-t', 'tmpfs', '-o', `size=${kind.megabytes}m${files}`, 'tmpfs', folder);
  }
  const filler = join(folder, 'filler');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    folder,
    image,
    freeBytes,
    fill: (leftBytes = 0) => {
      fill(filler, freeBytes());
      truncateSync(filler, Math.max(0, statSync(filler).size - leftBytes));
    },
    empty: () => rmSync(filler, { force: true }),
    dispose: () => {
      run('umount', '-l', folder);
      rmdirSync(folder);
      rmSync(image, { force: true });
    },
  };
}

/** No more than is free now: what a worker that notices gives back meanwhile is not taken, too. */
function fill(path: string, most: number): void {
  const file = openSync(path, 'a');
  try {
    let left = most;
    // Smaller and smaller pieces, so that not a byte is left.
    for (let size = 1 << 20; size >= 1; size >>= 4) while (size <= left && tryToWrite(file, size)) left -= size;
  } finally {
    closeSync(file);
  }
}

function tryToWrite(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch {
    // It is full.
    return false;
  }
}

function tryToMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-disk-'));
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).exitCode === 0;
  if (mounted) run('umount', folder);
  rmdirSync(folder);
  return mounted;
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}
