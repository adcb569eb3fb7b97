// What was found out without an edit: the answer, and what was said on the way when the end is silent.
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

  test('is none of what was said before the user interrupted it', () => {
    const way = [ASKED, read('src/export.ts'), said(ANSWER), run('wc -l x', '3')];
    expect(found([...way, { kind: 'stop', message: '', isInterrupted: true }])).toEqual([]);
  });

  test('is none when work that asked nothing ended with a check that fails', () => {
    const ended = (request: EventBody, tests: string) =>
      found([request, read('src/export.ts'), run('npm test | tail', tests), stop(ANSWER)]);
    const merge = prompt('Merge the parent branch of the export.');
    expect(ended(merge, 'FAIL src/export.test.ts')).toEqual([]);
    expect(ended(merge, '9 passed')).toHaveLength(1);
    expect(ended(ASKED, 'FAIL src/export.test.ts')).toHaveLength(1);
  });

  test('is one for the whole of a long answer, without what is left to do', () => {
    const parts = [
      '## Reads\nlistOrders reads every order again for each of the 40 pages.',
      '## Writes\nwriteRow flushes the file after each row, which costs 3 ms.',
      '## Next steps\n- Read the orders once in listOrders\n- Flush at the end in writeRow',
    ].join('\n\n');
    const [answer, ...more] = found([ASKED, read('src/export.ts'), stop(parts)]);
    expect(more).toEqual([]);
    expect(answer?.title).toStartWith('listOrders reads every order again');
    expect(JSON.stringify(answer?.facts)).toContain('writeRow flushes the file');
    expect(JSON.stringify(answer?.facts)).not.toContain('Flush at the end');
  });

  test.each([
    [
      'what leads to a list, with its first item',
      'The best way for this export is:\n- one query per page\n- no cache',
      'one query per page',
    ],
    [
      'no row of a table',
      '| page | reads |\n|---|---|\n| 40 | 1,600 |\n\nThe export reads every order 40 times.',
      'The export reads every order',
    ],
    ['no "I"', 'I found that listOrders reads every order again for each page.', 'Found that listOrders'],
  ])('has a title that stands alone: %s', (_, closing, title) => {
    const [answer] = found([ASKED, read('src/export.ts'), stop(`${closing}\n\nIt takes 3 ms for each of the 1,600 reads.`)]);
    expect(answer?.title).toContain(title);
  });

  test.each([
    ['a push', 'push', run('git commit -m "Fix links" && git push origin main', '59717e6..66be237'), 'Pushed `66be237` to `origin/main`.'],
    [
      'a commit, with its message',
      'push',
      run('git commit -m "ci: add the lockfile of the shop" && git push', '[main b606451] ci: add the lockfile of the shop'),
      'Pushed.\n\n- Commit: `b606451`\n- Message: `ci: add the lockfile of the shop`\n- Branch: `main`',
    ],
    ['a run', 'run the tests', run('npm test --silent', '13 passed'), 'Ran `npm test --silent`: 13 of 13 passed.'],
    ['what comes next', 'commit it', run('git status', 'clean'), "I'll commit the LICENSE file and push it to origin/main."],
  ])('is not the mere word of %s', (_, asked, deed, closing) => {
    expect(found([prompt(asked), deed, stop(closing)])).toEqual([]);
  });

  test('is neither what a page says nor what the agent offers', () => {
    expect(found([ASKED, web('https://zephyr.example'), stop(ANSWER)])).toEqual([]);
    expect(found([ASKED, read('src/export.ts'), stop('Shall I read listOrders and all of its callers first?')])).toEqual([]);
  });
});
