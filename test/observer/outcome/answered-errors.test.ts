// A memory is known by the errors that it answers, and by no other of the same turn.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../../src/core/event.ts';
import type { ObservationDraft } from '../../../src/core/observation.ts';
import { observeLocally } from '../../../src/observer/local/observe.ts';
import { listAnsweredErrors } from '../../../src/observer/outcome/answered-errors.ts';
import { EMPTY_OBSERVATION } from '../../support/memories.ts';
import { batch, edit, fails, prompt, ROOT, run, stop } from '../local/script.ts';

const CART =
  "(fail) cart > totals an empty cart\nTypeError: Cannot read properties of undefined (reading 'price')\n 1 fail";
const TYPES = "src/tax.ts(3,7): error TS2322: Type 'string' is not assignable to type 'Rate'.";

function answered(
  turn: EventBody[],
  earlier: EventBody[] = [],
  drafts?: Partial<ObservationDraft>[],
): [string, string[]][] {
  const all = batch(turn, earlier);
  const from = { root: ROOT, events: all.events, earlier: all.earlier };
  const told = drafts?.map((draft) => ({ ...EMPTY_OBSERVATION, ...draft })) ?? observeLocally(all).observations;
  return told.map((draft) => [draft.type, listAnsweredErrors(draft, from)]);
}

const FIX_CART = edit('src/cart.ts', '-  return lines[0].price;', '+  return lines[0]?.price ?? 0;');
const FIX_TAX = edit('src/tax.ts', "-const rate: Rate = '7';", '+const rate: Rate = 7;');
const GREEN = run('bun test', '4 pass\n 0 fail');

describe('a fix', () => {
  test('answers the run that was red before it', () => {
    const turn = [prompt('Fix the red test'), fails('bun test', CART), FIX_CART, GREEN, stop('Fixed the empty cart.')];
    expect(answered(turn)).toEqual([['bugfix', [`Exit code 1\n${CART}`]]]);
  });

  test('answers what was red in an earlier turn', () => {
    const turn = [prompt('Go on'), FIX_CART, GREEN, stop('Fixed the empty cart.')];
    expect(answered(turn, [fails('bun test', CART)])[0]).toEqual(['bugfix', [`Exit code 1\n${CART}`]]);
  });

  test('of one file does not answer what was mended in another', () => {
    const turn = [
      fails('bun test', CART),
      FIX_CART,
      GREEN,
      fails('npx tsc', TYPES),
      FIX_TAX,
      run('npx tsc'),
      stop('Done.'),
    ];
    const fixes = ['src/cart.ts', 'src/tax.ts'].map((file) => ({ type: 'bugfix', filesModified: [file] }) as const);
    expect(
      answered(
        turn,
        [],
        fixes.map((fix) => ({ ...fix, filesModified: [...fix.filesModified] })),
      ),
    ).toEqual([
      ['bugfix', [`Exit code 1\n${CART}`]],
      ['bugfix', [`Exit code 1\n${TYPES}`]],
    ]);
  });

  test('does not answer what is still red', () => {
    const turn = [fails('bun test', CART), FIX_CART, fails('bun test', CART), stop('Hm.')];
    expect(answered(turn, [], [{ type: 'bugfix', filesModified: ['src/cart.ts'] }])).toEqual([['bugfix', []]]);
  });
});

describe('anything else', () => {
  const turn = [fails('npx tsc', TYPES), fails('bun test', CART), stop('Looked.')];
  const sources = batch(turn).events.map(({ id }) => id);

  test('answers what it names and speaks of, not all that it was made of', () => {
    const title = 'TS2322: a string is not assignable to type Rate';
    expect(answered(turn, [], [{ type: 'discovery', title, sources }])).toEqual([
      ['discovery', [`Exit code 1\n${TYPES}`]],
    ]);
  });

  test('answers nothing as a feature, whatever failed on the way', () => {
    expect(answered(turn, [], [{ type: 'feature', title: TYPES, sources }])).toEqual([['feature', []]]);
  });
});

test('what was given up answers the run that ended it', () => {
  const back = edit('src/cart.ts', '-  return lines[0]?.price ?? 0;', '+  return lines[0].price;');
  const turn = [
    prompt('Try it'),
    FIX_CART,
    fails('bun test', CART),
    back,
    stop('That did not work: the price is needed. I took it back.'),
  ];
  expect(answered(turn)).toContainEqual(['discovery', [`Exit code 1\n${CART}`]]);
});
