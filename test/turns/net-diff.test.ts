// What a turn did to a file as a whole, whatever was tried and taken back on the way.
import { describe, expect, test } from 'bun:test';
import { structuredPatch } from 'diff';
import type { Hunk } from '../../src/core/event.ts';
import { netDiff } from '../../src/turns/net-diff.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';
import { cpuMs } from '../support/cpu-time.ts';

/** As a host tells an edit. */
const patch = (before: string[], after: string[], context = 3): Hunk[] =>
  structuredPatch('a', 'a', join(before), join(after), undefined, undefined, { context }).hunks;
const join = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

/** The diff put to the test: made to the file as it was, does it give the file as it is? */
function applyTo(file: string[], diff: string): string[] {
  const lines = [...file];
  let [at, moved] = [0, 0];
  for (const line of diff === '' ? [] : diff.split('\n')) {
    const place = /^@@ (\d+)$/.exec(line)?.[1];
    if (place !== undefined) at = Number(place) - 1 + moved;
    else if (line.startsWith('-')) {
      const [gone] = lines.splice(at, 1);
      expect(gone).toBe(line.slice(1));
      moved--;
    } else {
      lines.splice(at++, 0, line.slice(1));
      moved++;
    }
  }
  return lines;
}

/** Few different lines: many look alike, as in a real file. */
const randomLines = (random: SeededRandom, most: number) =>
  Array.from({ length: random.below(most) }, () => random.of(['}', '', 'a()', 'b()', 'return c', 'x', 'y', 'z']));

function randomEdit(random: SeededRandom, file: string[]): string[] {
  const at = random.below(file.length + 1);
  return [...file.slice(0, at), ...randomLines(random, 5), ...file.slice(at + random.below(5))];
}

test('random edits of a random file are one diff between its first and its last state', () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const random = seededRandom(seed);
    const first = ['first', ...randomLines(random, 40)];
    let now = first;
    const edits: Hunk[][] = [];
    for (let left = 1 + random.below(8); left > 0; left--) {
      let next = randomEdit(random, now);
      if (random.below(3) === 0) next = randomEdit(random, next);
      edits.push(patch(now, next, 1 + random.below(3)));
      now = next;
    }
    expect({ seed, file: applyTo(first, netDiff(edits)) }).toEqual({ seed, file: now });
  }
});

test('what was undone, step by step or at once, is no change', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = seededRandom(seed);
    const states = [['first', ...randomLines(random, 30)]];
    for (let left = 1 + random.below(5); left > 0; left--) states.push(randomEdit(random, states.at(-1) ?? []));
    const isAtOnce = random.below(2) === 0;
    const back = isAtOnce ? [states[0] ?? []] : states.toReversed().slice(1);
    const way = [...states, ...back];
    const edits = way.slice(1).map((state, at) => patch(way[at] ?? [], state));
    expect({ seed, diff: netDiff(edits) }).toEqual({ seed, diff: '' });
  }
});

describe('edits', () => {
  const file = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const with_ = (changes: Record<string, string[]>) => file.flatMap((line) => changes[line] ?? [line]);

  test('that failed and were made anew show only the last', () => {
    const wrong = with_({ five: ['five times'] });
    const right = with_({ five: ['5'] });
    expect(netDiff([patch(file, wrong), patch(wrong, file), patch(file, right)])).toBe('@@ 5\n-five\n+5');
  });

  test('of a new file show what it has in the end', () => {
    const made: Hunk = { oldStart: 0, newStart: 1, lines: ['+one', '+two'] };
    expect(netDiff([[made], patch(['one', 'two'], ['one', '2'])])).toBe('@@ 1\n+one\n+2');
  });
});

describe('where the agent gives no places', () => {
  const loose = (...lines: string[]): Hunk[] => [{ oldStart: 0, newStart: 1, lines }];

  test('edits of different places stay apart', () => {
    expect(netDiff([loose('-a', '+b'), loose('-c', '+d')])).toBe('@@\n-a\n+b\n@@\n-c\n+d');
  });

  test('an edit of what an earlier one made is joined with it', () => {
    expect(netDiff([loose('-a', '+b'), loose('-c', '+d'), loose('-d', '+e')])).toBe('@@\n-a\n+b\n@@\n-c\n+e');
    expect(netDiff([loose('-a', '+b'), loose('-b', '+a')])).toBe('');
  });
});

test('a file that was written anew, and thousands of edits, take no time that anybody would notice', () => {
  const lines = (word: string, length: number) => Array.from({ length }, (_, at) => `${word} ${at}`);
  const whole: Hunk = { oldStart: 1, newStart: 1, lines: [...lines('-old', 20_000), ...lines('+new', 20_000)] };
  const many = lines('', 1000).map((_, at): Hunk[] => [{ oldStart: at * 9 + 1, newStart: 1, lines: [' a', '-b', '+c'] }]);
  expect(cpuMs(() => netDiff([[whole]]))).toBeLessThan(1500);
  expect(cpuMs(() => netDiff(many))).toBeLessThan(1500);
});
