// BERT's word pieces, as the model learned them: lower case without accents, split at punctuation, longest known piece first.

/** `tokenize` gives at most `maxTokens` ids, without [CLS] and [SEP]. The same text always gives the same ids. */
type Tokenizer = { tokenize: (text: string, maxTokens: number) => number[] };

/** Known by their ids in the vocabulary of every uncased BERT. */
const UNKNOWN = 100;
export const TEXT_START = 101;
export const TEXT_END = 102;

/** Only text of blanks and endless words needs more for the 256 tokens that the models read. */
const MAX_CHARS = 16_384;
/** As in BERT: a longer word is unknown as a whole. */
const MAX_WORD_CHARS = 100;
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\ufffd]/gu;
const ACCENT = /\p{Mn}/gu;
/** ASCII symbols count as punctuation. */
const PUNCTUATION = '\\p{P}$+<=>^`|~';
const IDEOGRAPHS = '\\u4e00-\\u9fff\\u3400-\\u4dbf\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2ceaf}\\uf900-\\ufaff\\u{2f800}-\\u{2fa1f}';
/** Each sign and each ideograph is a word of its own. */
const WORD = new RegExp(`[${PUNCTUATION}${IDEOGRAPHS}]|[^\\s${PUNCTUATION}${IDEOGRAPHS}]+`, 'gu');

/** `vocabulary`: one piece a line, the line number is the id. */
export function createTokenizer(vocabulary: string): Tokenizer {
  const ids = new Map<string, number>();
  let longest = 0;
  for (const piece of vocabulary.split('\n')) {
    longest = Math.max(longest, piece.length);
    ids.set(piece, ids.size);
  }
  return {
    tokenize: (text, maxTokens) => {
      const tokens: number[] = [];
      for (const [word] of normaliseText(text).matchAll(WORD)) {
        const whole = ids.get(word);
        if (whole === undefined) splitWord(word, ids, longest, tokens);
        else tokens.push(whole);
        if (tokens.length >= maxTokens) return tokens.slice(0, maxTokens);
      }
      return tokens;
    },
  };
}

function normaliseText(text: string): string {
  const start = text
    .slice(0, 16 * MAX_CHARS)
    .trimStart()
    .slice(0, MAX_CHARS);
  // Blanks are control characters too, and must stay.
  const clean = start.replace(/\s/g, ' ').replace(CONTROL, '');
  if (/^[\x20-\x7e]*$/.test(clean)) return clean.toLowerCase();
  return clean.normalize('NFD').replace(ACCENT, '').toLowerCase();
}

/** Adds the longest known pieces of one word, or [UNK] when a part of it is unknown. */
function splitWord(word: string, ids: Map<string, number>, longest: number, tokens: number[]): void {
  const first = tokens.length;
  const isTooLong = word.length > MAX_WORD_CHARS && [...word].length > MAX_WORD_CHARS;
  for (let start = 0; start < word.length; ) {
    const prefix = start === 0 ? '' : '##';
    let end = isTooLong ? start : Math.min(word.length, start + longest);
    let id: number | undefined;
    for (; end > start; end--) {
      id = ids.get(prefix + word.slice(start, end));
      if (id !== undefined) break;
    }
    if (id === undefined) {
      tokens.length = first;
      tokens.push(UNKNOWN);
      return;
    }
    tokens.push(id);
    start = end;
  }
}
