// Makes a sentence stand by itself: "it" is named after what the sentence before speaks of, or the sentence is given up.
import { bareText } from '../text/plain.ts';
import type { Line } from '../turn.ts';

const POINTER = /^(?:with (?:an?|the) [\w-]+ )?(?:it|this|that|they|these|those|he|she)(?=\s|['’])/i;
const OBJECT =
  /^((?:kept|keep|keeping|left|leave|leaving|used|put|moved|dropped|made|wrapped|cached|skipped|stored|pinned|named|took|did|chose|picked)) (?:it|them|that|this)(?=\s|$)/i;
const PLURAL = /^(?:they|these|those)$/i;

/** Null when it points to something that cannot be named. */
export function standAlone(text: string, before: Line | undefined): string | null {
  const pointer = POINTER.exec(text)?.[0];
  const object = OBJECT.exec(text);
  if (!pointer && !object) return text;
  const subject = before ? subjectOf(before.text) : null;
  if (object) return subject ? `${object[1]} ${subject}${text.slice(object[0].length)}` : text;
  if (!pointer || !subject || (PLURAL.test(pointer) && !/s`?$/.test(subject))) return null;
  return `${subject}${text.slice(pointer.length)}`;
}

const VERB =
  /\s(?:is|are|was|were|has|have|had|still|now|would|will|won['’]t|does|did|do|can|could|cannot|must|should|works?|needs?|takes?|took|goes|uses?|used|holds?|keeps?|runs?|reads?|writes?|costs?|fits?|drops?|returns?|lives?|comes?|makes?|made|gives?|got|gets?|only|never|also|already|no longer)\b/i;
const NO_SUBJECT =
  /^(?:it|this|that|they|these|those|i|we|you|there|here|what|which|if|when|because|since|so|but|and|also|then|now|no|not|all|everything|nothing|before|after|to|with|by|in|on|for|as|from)\b/i;

/** The first words of a sentence up to its verb: "apps/mobile still has its own copy" → "apps/mobile". */
export function subjectOf(sentence: string): string | null {
  const text = bareText(sentence).slice(0, 200);
  const verb = VERB.exec(text);
  const subject = verb ? text.slice(0, verb.index).trim() : '';
  const words = subject.split(' ').length;
  if (subject.length < 2 || words > 6 || NO_SUBJECT.test(subject) || /[,;:]/.test(subject)) return null;
  return subject;
}
