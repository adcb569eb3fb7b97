// What the demo looks up beside the memory: what grep finds in the transcripts, and how often some words stand in the bytes of a folder.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellPath } from '../../paths.ts';

type Grepped = { pattern: string; lines: number; of: number; characters: number; pieces: string[] };

/** Every word of the question that says what it is about: whoever does not know the answer has no others. */
export function grep(folder: string, question: string): Grepped {
  const words = question.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  const pattern = words.filter((word) => !IDLE.test(word)).join('|');
  const run = (...args: string[]) => {
    const { stdout } = Bun.spawnSync(['grep', '-r', '-h', '-i', '-E', ...args, folder], { env: { PATH: shellPath(), LC_ALL: 'C.UTF-8' } });
    return stdout.toString().split('\n').filter(Boolean);
  };
  const lines = run(pattern);
  return {
    ...{ pattern, lines: lines.length, of: run('').length, characters: lines.join('\n').length },
    // grep's own view of them: a line of a transcript fills screens.
    pieces: run('-o', `.{0,24}(${pattern}).{0,24}`),
  };
}

const IDLE = /^(?:and|are|did|does|for|how|now|our|that|the|use|was|what|when|where|which|why)$/;

type Searched = { files: number; bytes: number; found: number };

/** In every byte of every file, as it lies on the disk. */
export function countIn(folder: string, words: string): Searched {
  const needle = Buffer.from(words);
  const sum: Searched = { files: 0, bytes: 0, found: 0 };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const bytes = readFileSync(path);
    sum.files++;
    sum.bytes += bytes.length;
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) sum.found++;
  }
  return sum;
}
