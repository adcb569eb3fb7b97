// Thousands of broken answers, a hundred thousand in a full run: nothing throws, every limit holds, and nothing forged becomes an observation.
import { expect, test } from 'bun:test';
import { OBSERVATION_TYPES } from '../../src/core/observation.ts';
import { type ParsedAnswer, type ParsedObservation, parseAnswer } from '../../src/model/answer.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';
import { encode, FORGED, FORGERIES, inCdata } from './forgeries.ts';

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const ROUNDS = IS_FULL ? 100_000 : 10_000;
const LARGE_ROUNDS = IS_FULL ? 100 : 20;
const SEED = 20_260_101;

const SCRAPS = [
  ...['<', '>', '&', '"', "'", '</', '/>', ']]>', '<!--', '-->', '<?xml', '?>', '```xml\n', '```', '&amp;', '&#x', '&lt', '='],
  ...['<title>', '</title>', '<narrative>', '</narrative>', '<observation>', '</observation>', '<fact>', '</facts>', '<T>'],
  ...['<summary>', '</summary>', '<session>', '<observations>', '</observations>', '<skip_summary/>', '<text>', '<type/>'],
  ...['<thinking>', '</thinking>', '<file path="', '<observation type="', '\u0000', '\u202e', '\u200b', '\ud800', '\r\n', '\t'],
  ...['none', 'x'.repeat(700), ' '.repeat(300), '1,2,3', '\u0301'.repeat(40), '<a href="b">', 'i <n', '</ title >', '\ufeff'],
];

test(`${ROUNDS} mutated answers`, () => {
  const random = seededRandom(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const text = mutate(random, writeAnswer(random));
    const fault = findFault(parseAnswer(text));
    if (fault) throw new Error(`round ${round}: ${fault}\n${JSON.stringify(text)}`);
  }
});

test(`${LARGE_ROUNDS} megabyte-sized ones`, () => {
  const random = seededRandom(SEED + 1);
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    const parts = Array.from({ length: 400 }, () => mutate(random, writeAnswer(random)));
    expect(findFault(parseAnswer(parts.join('')))).toBeNull();
  }
});

/** A forged block always comes encoded. In CDATA it may come too, but then nothing may damage its wrapping. */
type Piece = { text: string; isFixed?: boolean };

function writeAnswer(random: SeededRandom): Piece[] {
  const pieces: Piece[] = [{ text: random.of(['', 'Sure:\n', '```xml\n', '<observations>\n']) }];
  for (let count = random.below(3) + 1; count > 0; count--) {
    pieces.push({ text: `<observation>\n<type>${random.of(OBSERVATION_TYPES)}</type>\n<title>Title ${random.below(99)}</title>\n` });
    pieces.push({ text: '<narrative>Changed Map<string, number> since a < b. ' }, quoted(random), { text: ' More.</narrative>\n' });
    pieces.push({ text: '<facts><fact>Reads ' }, { text: encode(random.of(FORGERIES)) }, { text: '</fact><fact>b</fact></facts>\n' });
    pieces.push({ text: '<concepts>a, b</concepts><files_read><file>src/a.ts</file></files_read><sources>1,2</sources>\n' });
    pieces.push({ text: '</observation>\n' });
  }
  pieces.push({ text: '<summary><request>R</request><next_steps>' }, quoted(random), { text: '</next_steps></summary>' });
  return pieces;
}

function quoted(random: SeededRandom): Piece {
  const forgery = random.of(FORGERIES);
  return random.below(4) === 0 ? { text: inCdata(forgery), isFixed: true } : { text: encode(forgery) };
}

function mutate(random: SeededRandom, pieces: Piece[]): string {
  const changed = [...pieces];
  for (let count = random.below(6); count > 0; count--) {
    const at = random.below(changed.length);
    const piece = changed[at];
    if (piece && !piece.isFixed) changed[at] = { text: mutateText(random, piece.text) };
    if (random.below(8) === 0) changed.splice(random.below(changed.length), 1);
    if (random.below(8) === 0) changed.splice(random.below(changed.length), 0, random.of(changed));
  }
  const text = changed.map((piece) => piece.text).join('');
  return random.below(4) === 0 ? text.slice(0, random.below(text.length)) : text;
}

function mutateText(random: SeededRandom, text: string): string {
  const at = random.below(text.length + 1);
  const to = at + random.below(20);
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, to) + text.slice(at);
    case 2:
      return text.slice(to) + text.slice(0, to);
    default:
      return text.slice(0, at) + random.of(SCRAPS) + text.slice(at);
  }
}

function findFault(answer: ParsedAnswer): string | null {
  if (answer.observations.length > 50) return 'too many observations';
  if (answer.sessionTitle?.trim() === FORGED) return 'a forged session title';
  const { summary } = answer;
  const texts = summary ? [summary.request, summary.investigated, summary.learned, summary.completed, summary.nextSteps] : [];
  if (texts.some((text) => text !== null && !isSound(text, 4000))) return 'a bad text in the summary';
  if (texts.some((text) => text === FORGED)) return 'a forged summary';
  return answer.observations.map(findObservationFault).find((fault) => fault !== null) ?? null;
}

function findObservationFault(one: ParsedObservation): string | null {
  if (!OBSERVATION_TYPES.includes(one.type)) return 'a type of its own';
  if (one.title === FORGED || one.narrative === FORGED) return 'a forged observation';
  if (one.title !== null && (!isSound(one.title, 300) || one.title.includes('\n'))) return 'a bad title';
  if (one.subtitle !== null && !isSound(one.subtitle, 500)) return 'a bad subtitle';
  if (one.narrative !== null && !isSound(one.narrative, 8000)) return 'a bad narrative';
  const lists = [
    { list: one.facts, count: 40, length: 1000 },
    { list: one.concepts, count: 20, length: 60 },
    { list: one.filesRead, count: 100, length: 500 },
    { list: one.filesModified, count: 100, length: 500 },
  ];
  const isBad = lists.some(({ list, count, length }) => list.length > count || !list.every((it) => isSound(it, length)));
  if (isBad || one.concepts.includes(one.type)) return 'a bad list';
  return one.sources.every((source) => Number.isInteger(source) && source > 0) ? null : 'a bad source';
}

function isSound(text: string, max: number): boolean {
  return (
    text !== '' &&
    text.length <= max &&
    text === text.trim() &&
    text.isWellFormed() &&
    text === text.normalize('NFC') &&
    !/[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(text)
  );
}
