import { describe, expect, test } from 'bun:test';
import { cleanPayload } from '../../src/core/payload.ts';
import { isClean } from '../../src/core/plain-json.ts';
import { type NextChunk, readPayload } from '../../src/hook/read-payload.ts';
import { createWorkClock } from '../../src/hook/work-clock.ts';

function chunksOf(text: string | Uint8Array, chunkSize = 65_536): NextChunk {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  let at = -chunkSize;
  return async () => {
    at += chunkSize;
    return at < bytes.length ? bytes.subarray(at, at + chunkSize) : undefined;
  };
}

async function read(value: unknown, chunkSize?: number) {
  const result = await readPayload(chunksOf(JSON.stringify(value), chunkSize), { clock: createWorkClock(60_000) });
  if (result.kind !== 'payload') throw new Error(result.reason);
  return result;
}

describe('stdin', () => {
  test.each([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['hello', 'not-json'],
    ['{"a":1', 'not-json'],
    ['{}{}', 'not-json'],
    ['[1,2]', 'not-an-object'],
    ['"text"', 'not-an-object'],
    ['null', 'not-an-object'],
  ])('%j is bad input: %s', async (text, reason) => {
    expect(await readPayload(chunksOf(text))).toMatchObject({ kind: 'bad', reason });
  });

  test('with a byte order mark is read', async () => {
    expect(await readPayload(chunksOf('\uFEFF{"a":1}'))).toMatchObject({ kind: 'payload', value: { a: 1 } });
  });

  test('that is not UTF-8 is read as far as it goes', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from([0xff, 0xfe]), Buffer.from('y"}')]);
    expect(await readPayload(chunksOf(bytes))).toMatchObject({ kind: 'payload' });
  });

  test('nested a million deep is kept flat', async () => {
    const deep = `{"session_id":"s","x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    const result = await readPayload(chunksOf(deep), { clock: createWorkClock(60_000) });
    expect(result).toMatchObject({ kind: 'payload', isOrdinary: false });
    expect(JSON.stringify(result).length).toBeLessThan(2000);
  });

  test('with a hundred thousand keys keeps the first of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
    const { value } = await read({ session_id: 's', many });
    expect(value.session_id).toBe('s');
    expect(Object.keys(value.many as object).length).toBeLessThan(11_000);
  });
});

describe('a long string', () => {
  const line = 'one line of output "quoted" \\ back\n';
  test.each([
    ['just over the limit', 2500, 65_536],
    ['in one chunk', 40_000, 10_000_000],
    ['in many chunks', 40_000, 65_536],
    ['in odd chunks', 9_000, 997],
    ['too long to be read as a whole', 90_000, 65_536],
    ['too long to be read as a whole, in odd chunks', 70_000, 9973],
  ])('%s keeps head, tail, length and hash', async (_, count, chunkSize) => {
    const text = `FIRST ${line.repeat(count)} LAST`;
    const { value } = await read({ session_id: 's', big: text, after: 'ok' }, chunkSize);
    const kept = String(value.big);
    expect(value.after).toBe('ok');
    expect(kept.length).toBeLessThan(66_000);
    expect(kept).toStartWith('FIRST one line');
    expect(kept).toEndWith(' LAST');
    expect(kept).toMatch(/\[claude-mem: middle of \d+ characters left out, sha256 [0-9a-f]{64}\]/);
    const [head = '', tail = ''] = kept.split(/\n\[claude-mem: [^\]]*\]\n/);
    expect(text.startsWith(head)).toBe(true);
    expect(text.endsWith(tail)).toBe(true);
  });

  test('of emoji and escapes is never cut inside a character', async () => {
    const text = '😀\u0001é'.repeat(60_000);
    const { value } = await read({ big: text });
    expect(String(value.big).isWellFormed()).toBe(true);
  });

  test.each([
    '<private>',
    '<PRIVATE >',
    '< private>',
    '&lt;private&gt;',
    '\\u003cprivate>',
    '<pri\u200bvate>',
    '＜private＞',
    '&amp;lt;private&amp;gt;',
    '%3Cprivate%3E',
    '\\x3cprivate\\x3e',
    '&#60;private&#62;',
    '<p&#114;ivate>',
    '<claude-mem-context x="1">',
  ])('with %j in its middle loses its tail', async (tag) => {
    // Read as a whole, and above two megabytes while it streams by.
    for (const words of [60_000, 500_000])
      for (const chunkSize of [65_536, 4099]) {
        const { value } = await read({ big: `${'word '.repeat(words)}${tag} ${'my-secret '.repeat(words)}` }, chunkSize);
        expect(String(value.big)).not.toContain('my-secret');
        expect(String(value.big)).toStartWith('word word');
      }
  });

  test('never ends or begins inside a word', async () => {
    const token = `ghp_${'k3J9xQ2mV7bT'.repeat(3)}`;
    for (let shift = 0; shift < 60; shift++) {
      const { value } = await read({ big: `${'x'.repeat(shift)} ${`${token} `.repeat(8000)}` });
      const words = String(value.big)
        .split(/\s+/)
        .filter((word) => word.startsWith('ghp_') || token.endsWith(word));
      expect(words.every((word) => word === token || word === '')).toBe(true);
    }
  });
});

test('what is read for the spool is cleaned, whatever the quick look says of it', async () => {
  for (const tag of ['&\\e[0mlt;private&\\e[0mgt;', '&%1b[0mlt;private>', '&q\blt;private&q\bgt;']) {
    expect((await read({ session_id: 's', x: `a ${tag}diary` })).value).toEqual({ session_id: 's', x: 'a ' });
    expect(await read({ session_id: 's', prompt: `${tag}diary` })).toMatchObject({ private: true });
  }
});

describe('the quick look', () => {
  const pieces = ['<private>', '</private>', ' a ', '&lt;', '&&', '%3C', '\\u003c', '"', '\\', '\n', '{', '[', 'private', '>', '＜', 'x'];
  const value = (seed: number): Record<string, unknown> => {
    const text = Array.from({ length: seed % 7 }, (_, i) => pieces[(seed * 31 + i * i * 7) % pieces.length]).join('');
    return { session_id: 's', [`k${seed % 3}`]: text, list: [text, { text }], n: seed };
  };

  test('spares only what cleaning would leave as it is', () => {
    let spared = 0;
    for (let seed = 0; seed < 5000; seed++) {
      const json = JSON.stringify(value(seed));
      if (!isClean(json)) continue;
      spared++;
      expect(cleanPayload(JSON.parse(json)).value).toEqual(JSON.parse(json));
    }
    expect(spared).toBeGreaterThan(500);
  });

  test('spares no bracket that something unseen lies in', () => {
    const unseen = ['\x1b[0m', '\\e[0m', '\\\\e[1;3m', '\\033[0m', '\\x1b[0m', '\\u001b[0m', '%1b[0m', '%1B%5b0m', '&#27;[0m', '&#x1b[0m'];
    const others = ['q\b', '%\b', '\u200b', '\x9b0m', '\x7f', '\u{e0020}', '\0', '\x1b]0;t\x07'];
    const brackets = ['&lt;', '&amp;lt;', '&#60;', '%3c', '\\u003c', '\\x3c', '<'];
    let stripped = 0;
    for (const hidden of [...unseen, ...others])
      for (const bracket of brackets)
        for (let at = 0; at <= bracket.length; at++) {
          const x = `a ${bracket.slice(0, at)}${hidden}${bracket.slice(at)}private>diary`;
          if (JSON.stringify(cleanPayload({ x }).value).includes('diary')) continue;
          stripped++;
          expect([x, isClean(JSON.stringify({ x }))]).toEqual([x, false]);
        }
    expect(stripped).toBeGreaterThan(300);
  });

  test('spares ordinary code', () => {
    for (const code of ['a && b', 'f(&foo, &bar)', 'make &\nwait', '100% of 10%', 'a % b', 'x &= 1;\n\treturn "y"', 'printf("%s %d")'])
      expect([code, isClean(JSON.stringify({ code }))]).toEqual([code, true]);
  });

  test('never spares what is too deep or too long', () => {
    expect(isClean(`${'['.repeat(70)}${']'.repeat(70)}`)).toBe(false);
    expect(isClean(JSON.stringify({ x: 'y'.repeat(70_000) }))).toBe(false);
  });
});

describe('a prompt', () => {
  test('that is nothing but private text is marked as such', async () => {
    expect(await read({ prompt: ' <private>x</private> ' })).toMatchObject({ private: true });
    expect(await read({ prompt: 'do <private>x</private>' })).toMatchObject({ private: false, value: { prompt: 'do ' } });
    expect(await read({ prompt: '' })).toMatchObject({ private: false });
  });
});

describe('when the time is up', () => {
  const late = { clock: createWorkClock(0) };
  const event = {
    session_id: 's',
    tool_name: 'Bash',
    tool_use_id: 't1',
    tool_input: { command: 'cat <private>diary</private> notes', long: 'x<b>'.repeat(300) },
    tool_response: { stdout: `<private>${'my diary '.repeat(100)}`, list: [{ a: '<private>deep diary' }] },
    last_assistant_message: `Done. ${'<p>'.repeat(400)}<private>diary</private>`,
  };

  test('nothing is kept that was not stripped; what says which event it is stays, and so do words', async () => {
    const result = await readPayload(chunksOf(JSON.stringify(event)), late);
    expect(JSON.stringify(result)).not.toContain('diary');
    expect(result).toMatchObject({
      isIncomplete: true,
      value: {
        session_id: 's',
        tool_use_id: 't1',
        tool_input: { command: 'cat  notes', long: expect.stringContaining('1200 characters left out for lack of time') },
        tool_response: { stdout: expect.stringContaining('left out for lack of time') },
        last_assistant_message: expect.stringMatching(/^Done\. (<p>)+$/),
      },
    });
  });

  test('a prompt is still known to be private', async () => {
    const prompt = `<private>${'diary '.repeat(500)}</private>`;
    expect(await readPayload(chunksOf(JSON.stringify({ session_id: 's', prompt })), late)).toMatchObject({
      private: true,
      isIncomplete: false,
      value: { prompt: '' },
    });
  });

  test('a string that streams by keeps its head and loses its tail', async () => {
    const stdout = `FIRST ${'word '.repeat(500_000)} LAST`;
    const result = await readPayload(chunksOf(JSON.stringify({ session_id: 's', error: stdout })), late);
    expect(result).toMatchObject({ value: { error: expect.stringMatching(/^FIRST word/) } });
    expect(JSON.stringify(result)).not.toContain('LAST');
  });
});
