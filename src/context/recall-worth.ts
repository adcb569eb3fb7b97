// Whether a first prompt says enough to be asked of the memory: a command, a greeting or "go on" means nothing by itself.
import { camelPieces, hasCjk } from '../core/words.ts';
import { isStopWord } from '../search/stop-words.ts';

/** What the memory is asked with; null when the prompt tells too little. */
export function readQuestion(prompt: string): string | null {
  const text = withoutCommand(prompt.trim());
  if (text === null) return null;
  if (hasCjk(text)) return [...text].length >= SHORTEST_CJK ? text : null;
  const words = listTelling(text);
  return words.length >= FEWEST || words.some(isName) ? text : null;
}

/** The words of a text that say what it is about: neither idle ones nor those that are said of any work. */
export function listTelling(text: string): string[] {
  const words = text.slice(0, LONGEST).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const telling = words.filter(
    (word) => word.length > 1 && !isStopWord(word.toLowerCase()) && !SAID_OF_ANY.has(word.toLowerCase()),
  );
  return [...new Set(telling)];
}

const FEWEST = 3;
const SHORTEST_CJK = 6;
const LONGEST = 4000;

/** `/fix the login` asks for what follows it; `/clear` asks for nothing. */
function withoutCommand(text: string): string | null {
  if (/^[!#]/.test(text)) return null;
  const [, rest] = /^\/[\w:-]+\s*(.*)$/s.exec(text) ?? [];
  return rest === undefined ? text : rest.trim() || null;
}

/** `MAX_ATTEMPTS`, `parseQuery`: one such word is a question. */
const isName = (word: string) => /\p{L}[_$]\p{L}/u.test(word) || camelPieces(word).length > 1;

const SAID_OF_ANY = new Set(
  `add app bug bugs build building change changed changes changing check code codebase commit continue create current currently debug
   difference difficult do done error errors everything existing explain fail failed failing fails feature file files find fine fix
   fixed fixes fixing folder function functions get give go going good great hello help helps hey hi implement implementation improve issue issues know
   later let like line lines list look looking make makes method need needed needs new nice nothing ok okay one part please
   problem problems project question read refactor release remove rename repo repository request review right run running say see set
   setup show something start still stop sure task test tests thank thanks thing things think time today try two understand update
   updated use used using want way well work working works write wrong yes yet`.split(/\s+/),
);
