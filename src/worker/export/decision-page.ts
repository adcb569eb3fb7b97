// A topic's decisions as Markdown: the same decisions give the same bytes, and a new one comes at the end.
import { hashParts } from '../../core/ids.ts';
import { oneLine } from '../../core/one-line.ts';
import { isStopWord } from '../../search/stop-words.ts';
import type { Decision } from '../../store/memories/decisions.ts';

/** The first line of every file that is ours: what does not begin with it is never touched. */
export const markOf = (projectKey: string) => `<!-- claude-mem decisions ${hashParts([projectKey]).slice(0, 16)}`;
const MADE_BY =
  ': written by `claude-mem export --decisions`, and written anew with it. What you change here is lost. -->';

export function renderTopic(projectKey: string, decisions: Decision[]): string {
  const [first] = decisions;
  const heading = `# ${escapeLine(first?.title ?? '')}`;
  return `${[`${markOf(projectKey)}${MADE_BY}`, heading, ...decisions.map(renderDecision)].join('\n\n')}\n`;
}

function renderDecision({ title, narrative, facts, files, outcome, replacedBy, at }: Decision): string {
  const head = `${dayOf(at)} · ${escapeLine(title)}`;
  const said = [
    replacedBy
      ? `${replacedBy.isCertain ? 'Replaced' : 'May be replaced'} by: ${escapeLine(replacedBy.title)} (${dayOf(replacedBy.at)})`
      : '',
    narrative ? escapeText(narrative) : '',
    facts.map((fact) => `- ${escapeLine(fact)}`).join('\n'),
    files.length > 0
      ? `Files: ${[...new Set(files)].map((file) => `\`${oneLine(file.replaceAll('`', "'"))}\``).join(', ')}`
      : '',
    outcome ? `Outcome: ${outcome}` : '',
  ];
  return [replacedBy?.isCertain ? `## ~~${head}~~` : `## ${head}`, ...said.filter((part) => part !== '')].join('\n\n');
}

/** In UTC: the same on every machine. */
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Words are words: they open no tag, no comment and no strike-through. */
const escapeWords = (text: string) => text.replace(/[<\\]/g, '\\$&').replaceAll('~~', '\\~~');
const escapeLine = (text: string) => escapeWords(oneLine(text, 300));
/** A line that would begin a heading, a list, a quote or a fence begins a line of text. */
const escapeText = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => escapeWords(line.trimEnd()).replace(/^(\s*)([#>|=+-]|`{3}|~{3})/, '$1\\$2'))
    .join('\n');

const NAME_WORDS = 6;
const LONGEST_NAME = 60;

/** `retry-queue-backoff`, of the words that say something. */
export function nameTopic(title: string): string {
  const words = (
    title
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => !isStopWord(word));
  const name = words.slice(0, NAME_WORDS).join('-').slice(0, LONGEST_NAME).replace(/-+$/, '');
  return name || 'decision';
}
