import { expect, test } from 'bun:test';
import { readFetching } from '../../../src/observer/model/believe/fetches.ts';
import { cpuMs } from '../../support/cpu-time.ts';

test.each([
  ['curl https://a.example/x', 'first'],
  ['cd /tmp && FOO=1 curl -s "https://a.example/x?a=1&b=2" | jq .', 'first'],
  ['sudo /usr/bin/wget -qO- a.example', 'first'],
  ['bash -c "curl a.example"', 'first'],
  ['echo $(curl -s $URL)', 'first'],
  ['gh issue view 12', 'first'],
  ['gh -R a/b pr view 12 --comments', 'first'],
  ['gh api repos/a/b/issues', 'first'],
  ['npm view left-pad', 'first'],
  ['npm test; curl https://a.example', 'later'],
  ['curl localhost:3000 && curl https://a.example', 'later'],
  [`python3 -c "import urllib.request as u; print(u.urlopen('https://a.example').read())"`, 'later'],
  ['curl -s http://localhost:3000/health', null],
  ['curl -s 127.0.0.1:8080', null],
  ['gh pr create --fill', null],
  ['git commit -m "use curl https://a.example"', null],
  ['grep -rn curl src', null],
  ['npm test', null],
  ['', null],
] as const)('%s', (command, fetching) => {
  expect(readFetching(command)).toBe(fetching);
});

test('is quick with any line', () => {
  for (const piece of ['gh -a b ', '(((', 'a=b ', 'curl http://localhost ', 'node -e ', '/.~']) {
    const line = piece.repeat(20_000);
    expect(cpuMs(() => readFetching(line))).toBeLessThan(200);
  }
});
