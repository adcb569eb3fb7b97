// A copy of dist/ whose programs note each statement that they prepare, in whichever process: those that they start lie beside them.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DIST = join(import.meta.dir, '../../dist');
const RECORDER = join(import.meta.dir, 'record-statements.ts');
/** Those that open a database: their bytecode is of other bytes, and stays behind. */
const PROGRAMS = ['worker', 'cli', 'mcp', 'importer', 'backup'];
const HEAD = '(function(exports, require, module, __filename, __dirname) {';

/** Every program has a file of its own in `notes`, named after it. */
export function makeRecordedDist(folder: string, notes: string): string {
  for (const made of [folder, notes]) mkdirSync(made, { recursive: true });
  for (const name of readdirSync(DIST)) {
    const [from, to] = [join(DIST, name), join(folder, name)];
    const program = PROGRAMS.find((one) => name === `${one}.js`);
    if (program) writeFileSync(to, record(readFileSync(from, 'utf8'), join(notes, program)));
    else if (/\.js(\.jsc)?$/.test(name)) {
      if (!PROGRAMS.some((one) => name === `${one}.js.jsc`)) copyFileSync(from, to);
    } else symlinkSync(from, to);
  }
  return folder;
}

function record(source: string, to: string): string {
  const call = `require(${JSON.stringify(RECORDER)}).recordStatements(${JSON.stringify(to)});`;
  const recorded = source.replace(' @bytecode', '').replace(HEAD, `${HEAD}${call}`);
  if (!recorded.includes(call)) throw new Error(`a bundle does not begin with ${HEAD}`);
  return recorded;
}
