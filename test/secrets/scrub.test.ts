// Every kind of secret is replaced wherever it stands, ordinary text is left alone, and the time taken stays in proportion.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../src/core/plain-json.ts';
import { scrubSecrets, scrubValue } from '../../src/secrets/scrub.ts';
import { seededRandom } from '../core/seeded-random.ts';
import { HARMLESS_TEXTS, HUMAN, MACHINE, makeExample, NAMED_SECRETS, WORD } from './cases.ts';
import { TOKEN_RULES } from './examples.ts';

/** What stands before and after it says nothing: it is found anywhere. The others need their line, command or quotes. */
const ANYWHERE = TOKEN_RULES.filter(({ example, pattern }) => !/["'\s]/.test(example) && !/\(\?<|\[ \\t\]/.test(pattern().source));

const PLACES: Record<string, (secret: string) => string> = {
  'the whole text': (secret) => secret,
  'the start of a text': (secret) => `${secret} and more`,
  'the end of a text': (secret) => `before it ${secret}`,
  'a JSON string': (secret) => JSON.stringify({ text: `a ${secret}\nb` }),
  'JSON inside JSON': (secret) => JSON.stringify(JSON.stringify({ a: { b: secret }, c: `\n${secret}\t` })),
  'an environment': (secret) => `HOME=/root\nSOME_VALUE=${secret}\nLANG=C`,
  'an exported variable': (secret) => `export SOME_VALUE="${secret}" && run`,
  'a diff': (secret) => `@@ -1 +1 @@\n-old\n+${secret}\n context`,
  'an address': (secret) => `https://example.com/p?x=1&v=${secret}&y=2`,
  markdown: (secret) => `use \`${secret}\`, not [this](${secret}).`,
  'a coloured terminal': (secret) => `\u001b[32m${secret}\u001b[0m`,
};

describe('a rule finds its example', () => {
  test.each(Object.entries(PLACES))('in %s', (_, put) => {
    const random = seededRandom(3);
    for (const { kind, example } of ANYWHERE) {
      const { secret, parts } = makeExample(example, random.pick);
      const { text, found } = scrubSecrets(put(secret));
      expect({ kind, found, leaks: parts.filter((part) => text.includes(part)) }).toEqual({ kind, found: [kind], leaks: [] });
    }
  });

  test('in its line, also of a longer text and of a JSON value', () => {
    const random = seededRandom(3);
    for (const rule of TOKEN_RULES) {
      const { secret, parts } = makeExample(rule.example, random.pick);
      const scrubbed = [secret, `first\n${secret}\nlast`, JSON.stringify(scrubValue({ a: [`x\n${secret}`] }).value)];
      const leaks = parts.filter((part) => scrubbed.some((text) => scrubSecrets(text).text.includes(part)));
      expect([rule.example, scrubSecrets(secret).found, leaks]).toEqual([rule.example, [rule.kind], []]);
      // One that is a JSON value itself is known as that, too.
      const { value } = scrubValue(parseJson(secret));
      expect(parts.filter((part) => value !== undefined && JSON.stringify(value).includes(part))).toEqual([]);
    }
  });

  test('whatever random text stands around it', () => {
    const random = seededRandom(5);
    const noise = [
      ...[' ', '\n', '"', "'", '=', ': ', '(', '</a>', 'word '],
      ...['x = 1;\n', '{"a": ', '\\n', '\\u0022', '%3D', '\t', 'é ', '字', '$'],
    ];
    for (let i = 0; i < 20_000; i++) {
      const rule = random.of(ANYWHERE);
      const { secret, parts } = makeExample(rule.example, random.pick);
      const some = (): string => Array.from({ length: 1 + random.below(6) }, () => random.of(noise)).join('');
      const input = some() + secret + random.of([' ', '\n', '"', "'", '`', ')', ',', '<', '\\n', '\\"']) + some();
      const { text, found } = scrubSecrets(input);
      const leaks = parts.filter((part) => text.includes(part));
      expect({ input, found: found.length > 0, leaks }).toEqual({ input, found: true, leaks: [] });
    }
  });

  test('at least a hundred kinds are known, each with telling literals and a sticky pattern', () => {
    expect(new Set(TOKEN_RULES.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(100);
    const bad = TOKEN_RULES.filter(
      ({ starts, pattern }) => !pattern().sticky || /\[\\s\\S\]|\.\*/.test(pattern().source) || starts.some((start) => start.length < 3),
    );
    expect(bad.map(({ kind }) => kind)).toEqual([]);
  });
});

test.each(NAMED_SECRETS)('%s is known by the name beside it: %j', (kind, input) => {
  const { text, found } = scrubSecrets(input);
  expect(found).toContain(kind);
  for (const secret of [HUMAN, WORD, MACHINE]) expect(text).not.toContain(secret);
});

describe('ordinary text is left alone', () => {
  test.each(HARMLESS_TEXTS)('%j', (text) => expect(scrubSecrets(text)).toEqual({ text, found: [] }));

  test('at most one false alarm in a megabyte of source, and none in a lock file', () => {
    const root = join(import.meta.dir, '../..');
    const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
    expect(scrubSecrets(lock)).toEqual({ text: lock, found: [] });
    const files = ['node_modules/hono/dist', 'node_modules/zod/src', 'node_modules/commander/lib'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file)),
    );
    // Tests of others hold made-up passwords on purpose, and so do their examples in comments: finding those is right.
    const texts = files
      .filter((file) => /\.[jt]s$/.test(file) && !/\.test\.|basic-auth|jwt/.test(file))
      .map((file) => readFileSync(file, 'utf8'));
    const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
    expect(megabytes).toBeGreaterThan(1);
    expect(texts.filter((text) => scrubSecrets(text).found.length > 0).length).toBeLessThanOrEqual(megabytes);
  });
});

test.each([
  ['password=Tr0ub4dor&3', 'password=[secret:password]'],
  ['the password=Tr0ub4dor&3 is old', 'the password=[secret:password] is old'],
  ['my password is Tr0ub4dor&3&x, ok', 'my password is [secret:password], ok'],
  ['use password: R&D4ever now', 'use password: [secret:password] now'],
  ['/login?password=abc&user=1', '/login?password=[secret:password]&user=1'],
  ['/login?password=abc&3&user[name]=1', '/login?password=[secret:password]&user[name]=1'],
  ['<a href="/?password=abc1&amp;user=1">', '<a href="/?password=[secret:password]&amp;user=1">'],
  ['/?password=abc1&amp;d2&amp;user=1', '/?password=[secret:password]&amp;user=1'],
  ['check password=abc1&&run', 'check password=[secret:password]&&run'],
])('an & belongs to a password unless a parameter follows: %s', (text, scrubbed) => {
  expect(scrubSecrets(text)).toEqual({ text: scrubbed, found: ['password'] });
});

describe('the replacement', () => {
  const token = `ghp_${seededRandom(1).pick('abcdefghijklmnopqrstuvwxyz0123456789', 36)}`;
  test('names the kind and carries a short hash that is the same for the same secret', () => {
    const { text } = scrubSecrets(`a ${token} b ${token} c`);
    expect(text).toMatch(/^a (\[secret:github-token:[0-9a-f]{6}\]) b \1 c$/);
  });
  test('carries no hash for what a person may have chosen', () => {
    expect(scrubSecrets(`password: "${HUMAN}"`).text).toBe('password: "[secret:password]"');
    expect(scrubSecrets(`postgres://app:${HUMAN}@db:5432/shop`).text).toBe('postgres://app:[secret:url-password]@db:5432/shop');
  });
  test('is not scrubbed again', () => {
    for (const [, input] of NAMED_SECRETS) {
      const { text } = scrubSecrets(input);
      expect(scrubSecrets(text)).toEqual({ text, found: [] });
    }
  });
});

describe('a private key', () => {
  const body = Array.from({ length: 4 }, (_, i) => `MIIEvQ${seededRandom(i).pick(`AbCdEf0123456789+/`, 58)}`);
  const key = (label: string, join = '\n'): string =>
    [`-----BEGIN ${label}PRIVATE KEY-----`, ...body, `-----END ${label}PRIVATE KEY-----`].join(join);
  const leaks = (text: string): string[] => body.filter((line) => text.includes(line.slice(8, 40)));

  test.each(['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', 'DSA '])('%sPEM is replaced as a whole', (label) => {
    expect(scrubSecrets(`a\n${key(label)}\nb`).text).toMatch(/^a\n\[secret:private-key:[0-9a-f]{6}\]\nb$/);
  });
  test('is found in JSON, in a diff, with line numbers, and as a PGP block', () => {
    const forms = [JSON.stringify({ k: key('') }), JSON.stringify(JSON.stringify({ k: key('') })), key('', '\n+'), key('', '\n-')];
    forms.push(`-${key('', '\n-')}`, key('RSA ', '\n   12→'), key('', '\\n'), key('', ' '));
    forms.push(key('').replaceAll('PRIVATE KEY', 'PGP PRIVATE KEY BLOCK').replace('\n', '\nVersion: X\n\n'));
    for (const form of forms) expect({ form, leaks: leaks(scrubSecrets(form).text) }).toEqual({ form, leaks: [] });
  });
  test('without its end takes all the rest, without its beginning all before', () => {
    const [head, tail] = [`a\n${key('').slice(0, 200)}`, `${key('').slice(60)}\nb`];
    expect(scrubSecrets(head).text).toMatch(/^a\n\[secret:private-key:[0-9a-f]{6}\]$/);
    expect(scrubSecrets(tail).text).toMatch(/^\[secret:private-key:[0-9a-f]{6}\]\nb$/);
    expect(scrubSecrets('a\n-----BEGIN RSA PRIVATE KEY-----\nMII').text).not.toContain('MII');
  });
  test('spread over the lines of a list is gone from each of them, and the signs of a diff stay', () => {
    const lines = [' x', ...`-${key('', '\n-')}`.split('\n'), ' y'];
    const { value } = scrubValue({ hunks: [{ lines }] });
    const kept = value.hunks[0]?.lines ?? [];
    expect(leaks(kept.join('\n'))).toEqual([]);
    expect(kept.map((line) => line[0]).join('')).toBe(' ------ ');
    expect([kept[0], kept.at(-1)]).toEqual([' x', ' y']);
  });
  test('of PuTTY loses its private lines only', () => {
    const file = `PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n${body[0]}\nPrivate-MAC: 0a`;
    expect(scrubSecrets(file).text).toMatch(/AAAA\n\[secret:private-key:[0-9a-f]{6}\]Private-MAC: 0a$/);
  });
});

describe('a JSON value', () => {
  test('loses its secrets by key, by shape and by the name beside a value', () => {
    const secrets = {
      password: HUMAN,
      clientSecret: WORD,
      list: [{ apiKey: MACHINE }, [`PASSWORD=${HUMAN}`]],
      env: [{ name: 'DB_PASSWORD', value: WORD }],
      headers: { Authorization: `Bearer ${MACHINE}`, cookie: `sid=${MACHINE}`, 'Set-Cookie': [`sid=${MACHINE}`] },
      [`key_of_${MACHINE}`]: 1,
      text: JSON.stringify({ token: MACHINE }),
    };
    const { value, found } = scrubValue(secrets);
    const { [`key_of_${MACHINE}`]: _, ...rest } = value;
    for (const secret of [HUMAN, WORD, MACHINE]) expect(JSON.stringify(rest)).not.toContain(secret);
    expect(found.sort()).toEqual(['api-key', 'bearer-token', 'client-secret', 'cookie', 'password', 'token']);
  });
  test('loses what stands by a short name, too, which a text around it would hide', () => {
    const value = { pswd: 'Tr0ub4dor-and-3', pat: 'x7Kq9mZ2vB4nL8wR3tY6pD1s', path: '/srv/pat', spat: 'x7Kq9mZ2vB4nL8wR3tY6pD1s' };
    const { pswd, pat, ...others } = scrubValue(value).value;
    expect(pswd).toBe('[secret:password]');
    expect(pat).toStartWith('[secret:token');
    expect(others).toEqual({ path: value.path, spat: value.spat });
    expect(scrubSecrets('pswd=Tr0ub4dor-and-3').text).toBe('pswd=[secret:password]');
  });

  test.each([
    ['arguments', { args: ['login', '--password', 'SECRET'] }],
    ['a field of a form', { fields: [{ id: 'password', value: 'SECRET' }] }],
    ['a parameter', { Parameters: [{ ParameterKey: 'DBPassword', ParameterValue: 'SECRET' }] }],
    ['a login', { username: 'joe', key: '0123456789abcdef0123456789abcdef' }],
    ['a cookie', { cookies: [{ name: 'zebra', value: 'Zx9Qv8Wt7Yr6Up5Bn4', domain: '.example.com', httpOnly: true }] }],
    ['what it stands under', { 'github-oauth': { 'github.com': '0123456789abcdef0123456789abcdef01234567' } }],
    ['pairs', { headers: [['Authorization', 'Bearer Zx9Qv8Wt7Yr6Up5Bn4']] }],
  ])('loses what stands beside gives away, as in a text: %s', (_, template) => {
    const value = JSON.parse(JSON.stringify(template).replace('SECRET', 'tr0ub4Dor!x'));
    const { value: scrubbed, found } = scrubValue(value);
    expect(found).toHaveLength(1);
    expect(JSON.stringify(scrubbed)).not.toMatch(/tr0ub|789abc|Zx9Q/);
    expect(scrubValue(scrubbed)).toEqual({ value: scrubbed, found: [] });
  });

  test('keeps what only looks like a secret, its types, its order and a key named __proto__', () => {
    const json = `{"__proto__":{"a":1},"max_tokens":4096,"nextPageToken":"${MACHINE}","session_id":"${MACHINE}","token":"\${TOKEN}",
      "secret":"<your-key>","apiKey":"xxx","password":"","pass":"None","authToken":true,"api_key":"process.env.X","key":"${MACHINE}",
      "private_key":"/home/me/.ssh/id_ed25519","credentials":null,"cookie":["theme=dark"],"token_count":12,"tokenizer":"cl100k_base"}`;
    const value: unknown = JSON.parse(json);
    const scrubbed = scrubValue(value);
    expect(JSON.stringify(scrubbed)).toBe(JSON.stringify({ value, found: [] }));
  });
  test('is not changed itself, and may be of any depth', () => {
    const original = { password: HUMAN };
    scrubValue(original);
    expect(original).toEqual({ password: HUMAN });
    let deep: unknown = { password: HUMAN };
    for (let i = 0; i < 200_000; i++) deep = i % 2 ? [deep] : { deep };
    expect(scrubValue(deep).found).toEqual(['password']);
  });
});
