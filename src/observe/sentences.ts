// A text as sentences: of prose, of lists, without code.
import { isStopWord } from '../search/stop-words.ts';

/** In their order, without the marks of Markdown; a line of a list is a sentence. */
export function sentencesOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:(?:[-*+•]|\d{1,2}[.)]|#{1,6}|>)\s+)?(?:\[[ xX]\]\s+)?/, '').trim())
    .filter((line) => line !== '' && !isNoise(line))
    .flatMap(joinList)
    .flatMap(splitLine)
    .map(plainText)
    .filter((sentence) => sentence.length > 1);
}

/** What leads to a list says nothing without its first item: "The best way is:" and what stands below it are one sentence. */
function joinList(line: string, at: number, lines: string[]): string[] {
  const before = lines[at - 1] ?? '';
  if (leadsToList(before) && !leadsToList(line)) return [`${before} ${line}`];
  return leadsToList(line) && at + 1 < lines.length ? [] : [line];
}

const LEAST_LEAD = 5;
const leadsToList = (line: string) => /[:：]$/.test(line) && countWords(line) >= LEAST_LEAD;

/** Without emphasis and links; code stays, without its backticks. */
export const plainText = (text: string) =>
  text
    .replace(/\[([^\]]{1,500})\]\([^)\s]{1,500}\)/g, '$1')
    .replace(/(\*\*|__)(.*?)\1/g, '$2')
    .replace(/`([^`]*)`/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

/** At the end of a sentence a blank follows, or the script needs none. A number, a file or a short form has no blank after its dot. */
const splitLine = (line: string) =>
  line
    .split(/(?<=[.!?…][")'”]?)(?<!\d\.)\s+(?=[\p{L}\p{N}"“('`¿¡*])|(?<=\d\.)\s+(?=[\p{Lu}"“('`¿¡*])|(?<=[。！？])/u)
    .flatMap((part) => part.trim() || []);

/** Rules of tables, lines of logs and stacks: nothing that anybody says. */
function isNoise(line: string): boolean {
  if (/^[|:\-=+\s─━═]+$/.test(line)) return true;
  return line.length > 8 && line.replace(/\P{L}+/gu, '').length < line.length * 0.35;
}

/** What ends in a question mark, or in the particle that asks. */
export const isQuestion = (sentence: string) => /[?？]["')”]?$|(?:か|吗|呢)[。？]?$/u.test(sentence.trim());

/** Words that say something: without those of every sentence; a pair of characters counts as one where no blanks are written. */
export function countWords(text: string): number {
  const joined = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  const spaced =
    text.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu, ' ').match(/[\p{L}\p{N}][\p{L}\p{N}_.'’-]*/gu)?.length ?? 0;
  return spaced + Math.ceil(joined / 2);
}

/** Scripts that are written without blanks. */
export const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Words of some length that are not of every sentence, in small letters; of scripts without blanks, pairs of Han
 * characters and what is written in katakana: hiragana is grammar.
 */
export function contentWords(text: string): string[] {
  const lower = text.toLowerCase();
  const spaced = lower.match(/[\p{L}\p{N}][\p{L}\p{N}_-]{2,}/gu) ?? [];
  const runs = (lower.match(/\p{Script=Han}{2,}/gu) ?? []).map((run) => [...run]);
  const pairs = runs.flatMap((run) => run.slice(1).map((sign, at) => `${run[at]}${sign}`));
  const borrowed = lower.match(/[\p{Script=Katakana}ー]{2,}/gu) ?? [];
  return [...spaced.filter((word) => !isStopWord(word) && !JOINED.test(word)), ...pairs, ...borrowed];
}

/** It names something exactly: a number, a name in code, a path. */
export const isSpecific = (text: string) => /\d|`|[a-z][A-Z]|_[a-z]|\w\.\w{1,4}\b|\w\/\w|\b[A-Z]{2,}\b/.test(text);
