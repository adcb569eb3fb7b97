// The scrubber's time grows with the text and with nothing else, and is short enough for ten thousand events a second.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scrubSecrets, scrubValue } from '../../src/secrets/scrub.ts';
import { readTable } from '../../src/secrets/table.ts';
import placeTable from '../../src/secrets/tables/places.txt' with { type: 'text' };
import { readTokenRules } from '../../src/secrets/tokens.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { type Example, makeExamples, makeForms } from './examples.ts';

const SOURCE = ['v4/core/schemas.ts', 'v4/core/util.ts', 'v4/classic/schemas.ts', 'v3/types.ts']
  .map((file) => readFileSync(join(import.meta.dir, '../../node_modules/zod/src', file), 'utf8'))
  .join('\n');

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);

/** Up to its secret, and whole: a rule that begins again and again, and one that finds again and again. */
const cut = ({ line, parts: [part = ''] }: Example) => [line.slice(0, line.indexOf(part)), `${line} `];
/** Of every row of every table, and of every form; some of them, unless all are asked for. */
const ROWS = [
  ...[...makeExamples(1), ...makeForms(1)].flatMap(cut),
  ...readTable(placeTable).map(([, , , , example = '']) => example.split('…')[0] ?? ''),
].filter((unit, at) => unit !== '' && (IS_FULL || at % 7 === 0));

const UNITS = [
  ...new Set(ROWS),
  ...new Set(readTokenRules().flatMap(({ starts: [start = ''] }) => [start, `${start}-a1B2`])),
  ...['password', 'password=', 'password="', 'password=\\"', "token='", 'token=a', 'token=token', 'TOKEN=a', 'secret:', 'key'],
  ...['api_key=', 'password ', 'password is ', '\npassword: a', '--password ', 'login a password ', 'name: TOKEN\n value: '],
  ...['<password>', '<password', 'api key ', '[secret:', 'identified by ', "identified by '", ' -p', ' -u', 'mysql -p', 'curl -u a:'],
  ...['://', '://u:', 'postgres://u:p/', 'x://a@', ':\\/\\/', 'Cookie: ', 'Cookie: a=b', 'Authorization: ', 'Authorization: Bearer '],
  ...['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----\nMIIEvQ1bAbCdEf0123\n', 'Private-Lines:'],
  ...[
    '-',
    '"',
    '\\',
    ' ',
    'a',
    '0',
    '=',
    'eyJ-',
    'eyJa.',
    '_auth=',
    '_auth=aaaaaaaa',
    'bearer+',
    '%3DeyJaaaaaaaaaaa',
    '$6$a$',
    'name,password\n',
    'a | password\n',
    'password  \n',
    'insert into a(password) values (',
    "insert into a(password) values ('x'),",
    'kind: Secret\ndata:\n a: b\n',
    'data:\n',
    'echo a | ',
    '<<< ',
    'login(',
    'login("a",',
    'setPassword(',
    'setPassword("a", ',
    'ENV TOKEN ',
    'git config set password ',
    'is the password ',
    'password for the a b ',
    '密码',
    'пароль ',
    '\u200b',
    '\u001b[0m',
    '\u001b]8;;',
    'a1_b2\n',
    'a1=b2\\\n',
    '(',
    'a(',
    '<key>password</key><string>',
    'password: |\n  a\n',
    '@tcp(',
    'a:b@tcp(',
    'mysql://u:p@',
    '{"kty":"d":',
    '[32m',
    'password:\n a: b\n',
    'password: {a',
    'password:\nabc123\n',
    'password for a b\n',
    '\nabc1d2 > ',
    '%22password%22%3A%22',
    'password="""',
    'AUTH a ',
    '"PASS a1',
    'credentials are a:b1',
    ']:25 a:b1',
    'jwt: {key',
    'password | a1b2c\n',
    '> a1_b2\n',
    'password « a1',
    'A("',
    'init("a1B2c3D4e5F6g7H8i9J0k1L2", ',
    'key a1B2c3D4e5F6g7H8i9J0k1L2m3N4 ',
    'a1B2c3D4e5F6g7H8',
    'login a ',
    'cat key\n',
    'mysql "-p',
    'jwt.sign({',
    'password ||',
    'password = (\n',
  ],
];
// What a run ends with decides whether a pattern that went through all of it is thrown away.
const ENDINGS = ['', '.', 'x'.repeat(40)];

describe('the time taken', () => {
  test(`at most doubles with the text, for ${UNITS.length} hostile ones, ${IS_FULL ? 'whatever they end with' : 'each with one of three ends'}`, () => {
    const endingsOf = (at: number) => (IS_FULL ? ENDINGS : [ENDINGS[at % ENDINGS.length] ?? '']);
    const steep = UNITS.flatMap((unit, at) => endingsOf(at).map((ending) => [unit, ending] as const)).filter(
      // One look first, for there are many: a linear pass takes less than this.
      ([unit, ending]) => cpuMs(() => scrubSecrets(repeat(unit, 10_000) + ending), 1) > 10 && !isLinear(unit, ending),
    );
    expect(steep).toEqual([]);
  }, 600_000);

  test('is at most 40 ms for a megabyte of source', () => {
    const text = repeat(SOURCE, 1_000_000);
    expect(cpuMs(() => scrubSecrets(text), 10)).toBeLessThan(40);
  });

  test('is at most 15 µs for a kilobyte, and 30 µs for an event of that size', () => {
    const text = SOURCE.slice(20_000, 21_024);
    const event = {
      session_id: 'a',
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      tool_response: { stdout: text },
    };
    const thousand = (run: () => void) => () => {
      for (let i = 0; i < 1000; i++) run();
    };
    const scrubText = thousand(() => scrubSecrets(text));
    const scrubEvent = thousand(() => scrubValue(event));
    expect(cpuMs(scrubText, 10)).toBeLessThan(15);
    expect(cpuMs(scrubEvent, 10)).toBeLessThan(30);
  });
});

/** Tried several times: other work on the machine must not decide. */
function isLinear(unit: string, ending: string): boolean {
  const [small, large] = [repeat(unit, 10_000) + ending, repeat(unit, 20_000) + ending];
  for (let attempt = 0; attempt < 4; attempt++) {
    if (cpuMs(() => scrubSecrets(large)) / cpuMs(() => scrubSecrets(small)) < 2.5) return true;
  }
  return false;
}

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}
