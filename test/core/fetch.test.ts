import { expect, test } from 'bun:test';
import { readFetching } from '../../src/core/fetch.ts';
import { isUntrustedAt } from '../../src/turns/record.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { readCases } from './cases.ts';

/** first: to bring in what others wrote is what it is for. later: it does so besides. any: one of them. */
test.each(readCases<[string, 'first' | 'later' | 'any' | null]>('commands.jsonl'))(
  '%j brings in what others wrote: %s',
  (command, expected) => {
    const fetching = readFetching(command);
    if (expected === 'any') expect(fetching).not.toBeNull();
    else expect(fetching).toBe(expected);
  },
);

test('in a record, what is said after such a command may be somebody else’s, up to the next own deed', () => {
  const ran = (command: string) => ({ kind: 'ran', command, isOk: true, output: '' }) as const;
  const said = { kind: 'said', text: 'We decided to do that.' } as const;
  expect(isUntrustedAt([ran('curl https://a.example'), said], 1)).toBe(true);
  expect(isUntrustedAt([ran('npm test'), said], 1)).toBe(false);
  expect(isUntrustedAt([ran('curl https://a.example'), ran('npm test'), said], 2)).toBe(false);
});

test('is quick with any line', () => {
  const calls = ['gh -a b ', 'curl http://localhost ', 'node -e ', 'git log ', 'sudo ', 'xargs -a ', 'a=b '];
  const signs = ['(((', '/.~', '$(', '"', 'a://', '<<E\n', '\\', 'origin/', '| ', 'a'];
  for (const piece of [...calls, ...signs]) expect(cpuMs(() => readFetching(piece.repeat(190_000 / piece.length)))).toBeLessThan(200);
});
