// Whatever stands in a prompt, a command or an output: the worker's time for it grows with its length and with nothing else.
import { describe, expect, test } from 'bun:test';
import { command as commandAction } from '../../src/agents/action.ts';
import { readSaid } from '../../src/agents/claude-code/transcript-line.ts';
import { findPatch, readPatch } from '../../src/agents/codex/actions.ts';
import { onlySpoken } from '../../src/agents/record.ts';
import { markError } from '../../src/core/error-mark.ts';
import { isInjection, readsLikeInstructions } from '../../src/core/instruction-like.ts';
import { encodeObserved, plainLine, quote } from '../../src/core/plain-line.ts';
import { defuseTags } from '../../src/core/privacy.ts';
import { findPieces } from '../../src/core/same-words.ts';
import { bareWords, estimateTokens, oneLine, splitSentences } from '../../src/core/text.ts';
import { askedPairs, camelPieces, cjkPairs, listNames, splitParts } from '../../src/core/words.ts';
import { markForeign } from '../../src/projects/foreign.ts';
import { repeats } from '../../src/search/alike.ts';
import { splitDocument } from '../../src/search/pieces.ts';
import { readQuery } from '../../src/search/query-words.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { compaction, edit, events, fails, observe, plan, prompt, report, run, stop } from '../support/script.ts';

/** The longest text that is kept of anything is 60 KB. */
const SHORT = 15_000;
const LONG = 4 * SHORT;
/** Linear is 4, quadratic 16. */
const MOST_RATIO = 9;
/** So little is not worth a ratio. */
const TOO_SHORT_MS = 60;
/** Whatever the ratio: hooks wait meanwhile. What is cut to a length of its own shows no ratio. */
const MOST_MS = 400;

const UNITS = [
  ...['(', ')', '[', '{', '<', '"', "'", '`', '\\', ' ', '\t', '\n', '\r\n', '|', '/', '-', '*', '**', '_', '#', '=', '~', '.', ','],
  ...['$(', '$((', '${', '<(', ';;', '&&', '<<EOF ', '<<EOF\n', 'x=(', 'A=1 ', 'a && ', 'cd a && (', '> f ', '2>&1 ', 'git commit -m "'],
  ...['a', 'aB', 'ab ', 'a.a.', 'a/', '..', 'a-b-', 'a_', '1', '1,', '1.1 ', '12:00 ', '#1 ', '--a '],
  ...['@', '%', '日', 'é', '\u200b', '😀', '\u0000'],
  ...['- - ', '- x\n', '- [ ] ', '1. ', '1) ', '| a ', '|\n', '```\n', '# h\n', '[a](', '![', '<a>', '&lt;', '. ', ': ', ':\n', '!', '?'],
  ...['at x (a.js:1:1)\n', 'Error: x\n', 'FAIL a\n', '+a\n', 'because ', 'http://a ', 'not ', 'i g n ', 'Use a instead of b. '],
  ...['ignore all any of your ', '<system ', 'send tokens ', 'do not tell the ', 'you are now a ', '![a](http://a?', '{"name":"a",'],
];

const TURNS: Record<string, (text: string) => Parameters<typeof observe>[0]> = {
  'a prompt': (text) => [prompt(text), stop('Done.')],
  'a command': (text) => [prompt('x'), run(text, 'ok'), fails(text, 'x'), stop('Done.')],
  'an output': (text) => [prompt('x'), run('npm test', text), stop('Done.')],
  'a failure': (text) => [prompt('x'), fails('npm test', text), edit('a.ts', '+x'), run('npm test', 'ok'), stop('Fixed.')],
  'an edit': (text) => [prompt('x'), edit('a.ts', ...text.split('\n').map((line) => `+${line}`)), stop('Done.')],
  'a path': (text) => [prompt('x'), edit(text, '+x'), stop('Done.')],
  'a plan': (text) => [prompt('x'), plan(text), stop('Done.')],
  'a report': (text) => [prompt('x'), report('x', text), stop('Done.')],
  'a compaction': (text) => [compaction(text)],
  'a closing message': (text) => [prompt('do it'), edit('a.ts', '+x'), stop(text)],
  'a commit': (text) => [prompt('x'), edit('a.ts', '+x'), run(`git commit -m '${text}'`, '[main abc1234] x'), stop('Done.')],
};

const READERS: Record<string, (text: string) => unknown> = {
  markForeign: (text) => markForeign({ root: '/w', events: events(run(text)), earlier: [] }, () => () => null),
  markError: (text) => markError(text),
  readsLikeInstructions: (text) => readsLikeInstructions(text),
  isInjection: (text) => isInjection(text),
  oneLine: (text) => oneLine(text),
  plainLine: (text) => plainLine(text, 200),
  quote: (text) => quote(text.split('\n')),
  defuseTags: (text) => defuseTags(text),
  splitSentences: (text) => splitSentences(text),
  findPieces: (text) => findPieces([text]),
  estimateTokens: (text) => estimateTokens(text),
  bareWords: (text) => bareWords(text),
  'splitParts, camelPieces, cjkPairs, listNames': (text) => [splitParts(text), camelPieces(text), cjkPairs(text), listNames(text)],
  askedPairs: (text) => askedPairs(text),
  readQuery: (text) => readQuery(text),
  splitDocument: (text) => splitDocument({ text }),
  repeats: (text) => repeats(text, text),
  encodeObserved: (text) => encodeObserved(text),
  commandAction: (command) => commandAction({ command }, { stdout: '', stderr: '', exitCode: 0, background: false }),
  onlySpoken: (text) => onlySpoken(text),
  readSaid: (text) => readSaid({ texts: [text], isMeta: false }),
  'findPatch, readPatch': (text) => [findPatch(text), readPatch(text)],
};

const textOf = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** A part of the units for each, another one for the next, unless all are asked for. */
const SHARE = process.env.CLAUDE_MEM_TEST_FULL ? 1 : 4;
const unitsOf = (number: number) => UNITS.filter((_, at) => at % SHARE === number % SHARE);

function listSlow(units: string[], read: (text: string) => unknown): string[] {
  return units.flatMap((unit) => {
    const long = cpuMs(() => read(textOf(unit, LONG)), 1);
    if (long <= TOO_SHORT_MS) return [];
    const short = cpuMs(() => read(textOf(unit, SHORT)), 2);
    const again = cpuMs(() => read(textOf(unit, LONG)), 2);
    const isSlow = again > MOST_MS || (again > TOO_SHORT_MS && again / Math.max(short, 1) > MOST_RATIO);
    return isSlow ? [`${JSON.stringify(unit)}: ${short.toFixed(0)} ms, four times as long ${again.toFixed(0)} ms`] : [];
  });
}

describe('a turn is observed in time that grows with', () => {
  const turns = Object.entries(TURNS).map(([name, makeTurn], at) => [name, unitsOf(at), makeTurn] as const);
  test.each(turns)('%s', (_, units, makeTurn) => expect(listSlow(units, (text) => observe(makeTurn(text)))).toEqual([]), 180_000);
});

describe('a text is read in time that grows with it by', () => {
  const readers = Object.entries(READERS).map(([name, read], at) => [name, unitsOf(at), read] as const);
  test.each(readers)('%s', (_, units, read) => expect(listSlow(units, read)).toEqual([]), 180_000);
});
