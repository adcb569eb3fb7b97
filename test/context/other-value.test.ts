// What counts as another word on the same thing: the values, the subject, and what claims nothing.
import { describe, expect, test } from 'bun:test';
import { namesOtherValue } from '../../src/context/other-value.ts';

const ASKED = 'set the sunset header of the v1 api, retry failed mails, limit the regions';

describe('another value', () => {
  test.each([
    ['a number of a unit', 'Failed mails are retried with 7 attempts', 'We retry failed mails: 3 attempts'],
    ['a day', 'The new end of the v1 api is 30.06.2027', 'Noted: the v1 api ends on 31.12.2026.'],
    ['a day in another order', 'The v1 api ends 2027-06-30', 'The v1 api ends 2026-12-31'],
    ['a command of a program', 'The failed mails of v1 are sent with `npm ci`', 'Failed mails of v1: `npm install` first'],
    ['in a script without blanks', '调拨死锁重试改为 5 次', '调拨遇到死锁自动重试,3 次'],
    ['in one sentence of several', 'Done. A user may have 10 regions, at the limit', 'Hello … at most 5 regions by the limit.'],
  ])('%s', (_, newer, older) => {
    expect(namesOtherValue(newer, older, `${ASKED} 调拨死锁重试`)).toBe(true);
  });

  test.each([
    ['the same value', 'We retry failed mails with 3 attempts', 'Failed mails: 3 attempts'],
    ['the value beside others of its unit', 'Failed mails: 3 attempts, then 7 attempts', 'Failed mails: 3 attempts'],
    ['another unit', 'We retry failed mails after 7 minutes', 'We retry failed mails: 3 attempts'],
    ['another subject', 'The pages of the handbook have 7 attempts', 'Failed mails are retried with 3 attempts'],
    ['nothing of what is asked', 'The handbook of colours has 7 pages', 'The handbook of colours has 5 pages'],
    ['a number in a name', 'The failed mails of plate4.csv are sent', 'Failed mails of plate7.csv are sent'],
    ['what was run', '$ retry failed mails 7 attempts', 'retry failed mails 3 attempts'],
    ['what a change took away', 'retry failed mails 7 attempts → retry failed mails 3 attempts', 'retry failed mails 3 attempts'],
  ])('not %s', (_, newer, older) => {
    expect(namesOtherValue(newer, older, ASKED)).toBe(false);
  });
});
