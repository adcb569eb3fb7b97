import { describe, expect, test } from 'bun:test';
import type { Silence } from '../../src/core/shapes/silence.ts';
import { announceSilence, describeSilence, listOff } from '../../src/core/silence.ts';
import { parseUntil } from '../../src/core/time.ts';

const now = new Date(2026, 0, 5, 14, 30).getTime();
const at = (day: number, hour: number, minute = 0) => new Date(2026, 0, day, hour, minute).getTime();
const silence = (more: Partial<Silence>): Silence => ({ kind: 'paused', scope: 'everything', name: '', since: now, until: null, ...more });

describe('a silence is worded', () => {
  test.each([
    [{ until: at(5, 18) }, 'paused until 18:00 (everything)'],
    [{}, 'paused (everything)'],
    [{ until: at(6, 9) }, 'paused until 2026-01-06 09:00 (everything)'],
    [{ scope: 'project', name: 'shop' }, 'paused (project shop)'],
    [{ scope: 'session', name: 's1' }, 'incognito: session s1'],
    [{ kind: 'off', scope: 'project', name: 'shop' }, 'off: project shop'],
    [{ kind: 'off', reason: 'a.json cannot be read' }, 'off: everything: a.json cannot be read'],
  ] as const)('%j', (more, text) => {
    expect(describeSilence(silence(more), now)).toBe(text);
  });

  test('for a session that starts in it', () => {
    const said = announceSilence(silence({ until: at(5, 18) }), now);
    expect(said).toBe('claude-mem is paused until 18:00: nothing is stored or added to sessions.');
    expect(announceSilence(silence({ kind: 'off', scope: 'project', name: 'shop' }), now)).toContain('off in shop');
    expect(announceSilence(silence({ kind: 'off', reason: 'a.json cannot be read; fix it' }), now)).toBe(
      'claude-mem is off: a.json cannot be read; fix it. Until then nothing is stored or added to sessions.',
    );
  });
});

test('what is off is listed, once where everything is', () => {
  const projects = { shop: { off: true }, blog: { off: false } };
  expect(listOff({ off: false, projects }).map(({ name }) => name)).toEqual(['shop']);
  expect(listOff({ off: true, projects }).map(({ scope }) => scope)).toEqual(['everything']);
  expect(listOff({ off: false, projects, doubt: 'why' })).toMatchObject([{ scope: 'everything', reason: 'why' }]);
});

describe('until when', () => {
  test.each([
    ['1h', at(5, 15, 30)],
    ['90m', at(5, 16)],
    ['30 minutes', at(5, 15)],
    ['for an hour', at(5, 15, 30)],
    ['0.5h', at(5, 15)],
    ['1h30m', at(5, 16)],
    ['1 hour and 30 minutes', at(5, 16)],
    ['1d 2h', at(6, 16, 30)],
    ['2d', at(7, 14, 30)],
    ['until 18:00', at(5, 18)],
    ['18:00', at(5, 18)],
    ['until 8:05', at(6, 8, 5)],
    ['until tomorrow 18:00', at(6, 18)],
    ['until 2026-01-09T10:00', at(9, 10)],
  ])('%s', (text, expected) => {
    expect(parseUntil(text, now)).toBe(expected);
  });

  test.each(['soon', '5', '1h30', '1hm', '0m', '25:00', 'until 2020-01-01', '1000d', '', '-1h', '1h; rm'])('not %j', (text) => {
    expect(() => parseUntil(text, now)).toThrow();
  });
});
