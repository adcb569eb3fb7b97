// <data dir>/plugin/installed.json: the folder is ours, where it is registered, and what has been offered.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { placeText } from './place-files.ts';

export const MARK_FILE = 'installed.json';

/** One folder of Claude Code's: whoever sets CLAUDE_CONFIG_DIR has several. */
const Place = z.object({
  claudeFolder: z.string(),
  /** What was not there before us: see claude-folder.ts. */
  absent: z.array(z.string()),
});
export type Place = z.infer<typeof Place>;

const Mark = z.object({
  version: z.string(),
  places: z.array(Place),
  /** The questions that were asked: not again. */
  offered: z.array(z.enum(['login', 'import'])),
});
export type Mark = z.infer<typeof Mark>;
export type Offer = Mark['offered'][number];

/** Null: nothing is installed. Throws when the folder is somebody else's. */
export function readMark(folder: string): Mark | null {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return null;
  const file = join(folder, MARK_FILE);
  if (!existsSync(file)) {
    throw new Error(`${folder} was not made by claude-mem install. Move it away, then say this again.`);
  }
  const parsed = Mark.safeParse(parseJson(readFileSync(file, 'utf8')));
  // Only we write it: what is damaged is written anew, and less can be tidied up.
  return parsed.success ? parsed.data : { version: '', places: [], offered: [] };
}

/** Before anything else is put there. */
export function writeMark(folder: string, mark: Mark): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  placeText(`${JSON.stringify(mark, null, 2)}\n`, join(folder, MARK_FILE));
}

export function noteOffer(folder: string, offer: Offer): void {
  const mark = readMark(folder);
  if (mark && !mark.offered.includes(offer)) writeMark(folder, { ...mark, offered: [...mark.offered, offer] });
}

/** What was known of a place first counts: a second `install` finds there what the first one made. */
export function addPlace(mark: Mark | null, version: string, place: Place): Mark {
  const places = mark?.places ?? [];
  const isKnown = places.some(({ claudeFolder }) => claudeFolder === place.claudeFolder);
  return { version, places: isKnown ? places : [...places, place], offered: mark?.offered ?? [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged: the schema says so.
    return null;
  }
}
