// What was found out without an edit: the answer, by its parts, and what was said on the way when the end is silent.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../src/core/event.ts';
import { observe, prompt, read, run, stop, web } from '../support/script.ts';

const said = (text: string): EventBody => ({ kind: 'said', text });
const found = (turn: EventBody[]) => observe(turn).observations;
const ASKED = prompt('Why is the nightly export slow?');
const ANSWER = 'The nightly export is slow because listOrders reads every order again for each page. With 40 pages it reads 1,600 times.';

describe('a discovery', () => {
  test('is the answer to a question, with the files that were read', () => {
    const [answer, ...more] = found([ASKED, read('src/export.ts'), stop(ANSWER)]);
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ type: 'discovery', origin: 'agent', filesRead: ['src/export.ts'], outcome: null });
    expect(answer?.title).toContain('listOrders reads every order again');
  });

  test('is what was said on the way when the turn ends with "Done."', () => {
    const [way] = found([ASKED, read('src/export.ts'), said(ANSWER), run('wc -l x', '3'), stop('Done.')]);
    expect(way?.type).toBe('discovery');
    expect(JSON.stringify(way?.facts)).toContain('listOrders reads every order again');
  });

  test('is one for each part of a long answer, and none for what is left to do', () => {
    const parts = [
      '## Reads\nlistOrders reads every order again for each of the 40 pages.',
      '## Writes\nwriteRow flushes the file after each row, which costs 3 ms.',
      '## Next steps\n- Read the orders once in listOrders\n- Flush at the end in writeRow',
    ].join('\n\n');
    const titles = found([ASKED, read('src/export.ts'), stop(parts)]).map(({ title }) => title);
    expect(titles).toHaveLength(2);
    expect(titles.join('\n')).not.toContain('Flush at the end');
  });

  test('is neither what a page says nor what the agent offers', () => {
    expect(found([ASKED, web('https://zephyr.example'), stop(ANSWER)])).toEqual([]);
    expect(found([ASKED, read('src/export.ts'), stop('Shall I read listOrders and all of its callers first?')])).toEqual([]);
  });
});
