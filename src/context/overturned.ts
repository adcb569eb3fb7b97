// Whether a later turn took back what an older passage says: it took its names out of the code, names another value, or says so.
import { basename } from 'node:path';
import { parseRef } from '../core/memory.ts';
import { oncePer } from '../core/once.ts';
import { readPhraseTest } from '../core/phrases.ts';
import type { MemoryRow, ReplacedBy } from '../core/shapes/memory.ts';
import type { SearchHit } from '../core/shapes/search.ts';
import { editedLines, removedFiles } from '../observe/changes.ts';
import { stemsOf } from '../search/alike.ts';
import type { Finder } from '../search/find.ts';
import type { KnownWords } from '../search/keyword.ts';
import { stemWord } from '../search/query-words.ts';
import { beforeOutside } from '../search/search.ts';
import { isStopWord } from '../search/stop-words.ts';
import { readTurnOf } from '../search/turn-of.ts';
import { readRecord } from '../turns/record.ts';
import { namesOtherValue } from './other-value.ts';
import table from './questions.txt' with { type: 'text' };

/** Of one turn: the lines of code that are no more, those that came in their place, and the files that a command removed. */
type Taken = { by: ReplacedBy; gone: string; came: string; files: Set<string> };

type Later = {
  question: string;
  /** What was found for it. */
  hits: SearchHit[];
  /** What says that it changes something that was agreed on before. */
  amending: MemoryRow[];
};

/** What takes an older one back. Null: nothing does. */
export function createOverturned({ db, known }: Pick<Finder, 'db' | 'known'>, { question, hits, amending }: Later) {
  const amendedBy = createAmended({ db, known }, amending);
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
    return amendedBy(older);
  };
}

/** By the newest of another session that says so of the same matter. */
function createAmended({ db, known }: Pick<Finder, 'db' | 'known'>, amending: MemoryRow[]) {
  const saidOf = oncePer(({ id }: MemoryRow) => {
    const ref = parseRef(id);
    const turn = ref && readTurnOf(db, ref);
    return turn ? `${turn.prompt}\n${beforeOutside(readRecord(turn.record)).closing}` : '';
  });
  const stemsOfTurn = oncePer((row: MemoryRow) => {
    const stems = stemsOf(saidOf(row));
    known.learn([...stems]);
    return stems;
  });
  const told = (stems: Set<string>) => [...stems].reduce((sum, stem) => sum + known.weight(stem) ** 2, 0);
  const inCommon = (one: MemoryRow, other: MemoryRow) => {
    const [now, then] = [stemsOfTurn(one), stemsOfTurn(other)];
    return told(now.intersection(then)) / Math.sqrt(told(now) * told(then) || 1);
  };
  const amends = oncePer((row: MemoryRow) => saysAmend('amend', saidOf(row).toLowerCase()));
  const newestFirst = amending
    .filter(({ replacedBy }) => replacedBy === null)
    .sort((one, other) => other.at - one.at || one.kind.localeCompare(other.kind));
  return (older: MemoryRow): ReplacedBy | null => {
    const isLater = (row: MemoryRow) => row.at > older.at && row.session !== older.session;
    // Its record is read last: that takes longer than all the rest.
    const newer = newestFirst.find((row) => isLater(row) && amends(row) && inCommon(row, older) >= SAME_MATTER);
    return newer ? { ...valueBy(newer), why: 'rejected by name' } : null;
  };
}

const saysAmend = readPhraseTest(table);
/** docs/benchmarks.md: of two matters at most 0.15, of one at least 0.2. */
const SAME_MATTER = 0.18;

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

const valueBy = ({ id, at, session }: MemoryRow): ReplacedBy => ({ id, isCertain: false, why: 'value changed', words: null, at, session });

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
