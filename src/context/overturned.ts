// Whether a later turn took back what an older passage says: it took its names out of the code, or names another value.
import { basename } from 'node:path';
import { parseRef } from '../core/memory.ts';
import { oncePer } from '../core/once.ts';
import type { ReplacedBy } from '../core/shapes/memory.ts';
import type { SearchHit } from '../core/shapes/search.ts';
import { editedLines, removedFiles } from '../observe/changes.ts';
import type { Finder } from '../search/find.ts';
import type { KnownWords } from '../search/keyword.ts';
import { stemWord } from '../search/query-words.ts';
import { isStopWord } from '../search/stop-words.ts';
import { readTurnOf } from '../search/turn-of.ts';
import { readRecord } from '../turns/record.ts';
import { namesOtherValue } from './other-value.ts';

/** Of one turn: the lines of code that are no more, those that came in their place, and the files that a command removed. */
type Taken = { by: ReplacedBy; gone: string; came: string; files: Set<string> };

/** What takes an older one back, among what was found for the same question. Null: nothing does. */
export function createOverturned({ db, known }: Pick<Finder, 'db' | 'known'>, question: string, hits: SearchHit[]) {
  const recordOf = oncePer((hit: SearchHit) => readRecordOf(db, hit));
  const takenBy = oncePer((hit: SearchHit) => readTaken(hit, recordOf(hit)));
  return (older: SearchHit): ReplacedBy | null => {
    const shown = shownOf(older);
    const said = shown.toLowerCase();
    const names = rareNames(shown, known);
    const isBack = (hit: SearchHit) => {
      const text = recordOf(hit);
      // What one of the two writes as code.
      const code = [...codeIn(said), ...codeIn(text).filter((one) => said.includes(one))];
      // Most records have none of it: to read one as steps takes longer than all the rest.
      if (![...names, ...code].some((one) => text.includes(one))) return false;
      const { gone, came, files } = takenBy(hit);
      // What an undone turn had named may be there for other reasons.
      const stood = isUndone(hit) ? files : namesIn(gone).difference(namesIn(came)).union(files);
      return !stood.isDisjointFrom(names) || code.some((one) => gone.includes(one) && !came.includes(one));
    };
    for (const hit of hits) {
      if (hit.at > older.at && namesOtherValue(shownOf(hit), shown, question)) return valueBy(hit);
      if (hit !== older && (isUndone(hit) ? hit.replacedBy.at : hit.at) > older.at && isBack(hit)) return takenBy(hit).by;
    }
    return null;
  };
}

function rareNames(text: string, known: KnownWords): Set<string> {
  const stems = new Map([...namesIn(text)].map((name) => [name, stemWord(name)]));
  known.learn([...stems.values()]);
  const most = Math.max(FEW, known.documents() * RARE);
  return new Set([...stems].flatMap(([name, stem]) => (known.frequency(stem) <= most ? name : [])));
}

/** A turn is in about three documents. */
const FEW = 12;
const RARE = 0.01;

const shownOf = ({ title, snippet }: SearchHit) => `${title}\n${snippet ?? ''}`;

const valueBy = ({ id, at, session }: SearchHit): ReplacedBy => ({ id, isCertain: false, why: 'value changed', words: null, at, session });

/** In small letters; '' of a turn that took nothing away: it changed no file, and removed none by a command. */
function readRecordOf(db: Finder['db'], { id }: SearchHit): string {
  const ref = parseRef(id);
  const record = (ref && readTurnOf(db, ref)?.record) ?? '';
  return TAKES_AWAY.some((sign) => record.includes(sign)) ? record.toLowerCase() : '';
}

const TAKES_AWAY = ['── edited', 'rm '];

/** By the turn itself; of one that was undone, by what undid it: then all that it wrote is gone. */
function readTaken(hit: SearchHit, text: string): Taken {
  const record = readRecord(text);
  const [added = '', removed = ''] = (['+', '-'] as const).map((sign) =>
    editedLines(record, sign)
      .map((line) => line.text)
      .join('\n'),
  );
  if (isUndone(hit)) return { by: { ...hit.replacedBy, isCertain: false }, gone: added, came: removed, files: new Set() };
  const files = new Set(removedFiles(record).map((file) => basename(file)));
  return { by: { ...valueBy(hit), why: 'undone' }, gone: removed, came: added, files };
}

const UNDONE: ReplacedBy['why'][] = ['undone', 'reverted', 'refused'];
const isUndone = (hit: SearchHit): hit is SearchHit & { replacedBy: ReplacedBy } =>
  hit.replacedBy?.isCertain === true && UNDONE.includes(hit.replacedBy.why);

/** As it is written in text: between backticks. */
const codeIn = (text: string): string[] => [...text.toLowerCase().matchAll(/`([^`\n]{6,})`/g)].map(([, code = '']) => code);

/** Words of four letters or more; also those that signs join, with their parts. */
function namesIn(text: string): Set<string> {
  const joined = text.toLowerCase().match(/[\p{L}_$][\p{L}\p{N}_$]*(?:[.-][\p{L}\p{N}_$]+)*/gu) ?? [];
  const parts = joined.flatMap((name) => (/[.-]/.test(name) ? [name, ...name.split(/[.-]/)] : name));
  return new Set(parts.filter((name) => name.length >= SHORTEST && !isStopWord(name)));
}

const SHORTEST = 4;
