// What the user marks as private is gone, in whatever disguise, and the time it takes grows with the text only.
import { describe, expect, test } from 'bun:test';
import { stripPrivate, stripWithin } from '../../src/core/privacy.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { HOSTILE_UNITS, hostileText } from './hostile-text.ts';
import { seededRandom } from './seeded-random.ts';

const SECRET = 'S3CRET';
const ZERO_WIDTH = '\u200b';
const NAMES = ['private', 'claude-mem-context', 'system-reminder'];

describe('removes a block and keeps what is around it', () => {
  const forms: Record<string, string> = {
    plain: `<private>${SECRET}</private>`,
    'over several lines': `<private>\n${SECRET}\n</private>`,
    'upper case': `<PRIVATE>${SECRET}</PRIVATE>`,
    'mixed case': `<Private>${SECRET}</priVate>`,
    'blank before the bracket': `<private >${SECRET}</private >`,
    'blanks everywhere': `< private >${SECRET}< / private >`,
    attributes: `<private reason="x" n=1>${SECRET}</private>`,
    'attribute on the next line': `<private\n reason="x">${SECRET}</private>`,
    'html entities': `&lt;private&gt;${SECRET}&lt;/private&gt;`,
    'html entities, upper case': `&LT;private&GT;${SECRET}&LT;/private&GT;`,
    'html entities without semicolon': `&ltprivate&gt${SECRET}&lt/private&gt`,
    'html entities, twice escaped': `&amp;lt;private&amp;gt;${SECRET}&amp;lt;/private&amp;gt;`,
    'decimal entities': `&#60;private&#62;${SECRET}&#60;/private&#62;`,
    'padded decimal entities': `&#0060;private&#0062;${SECRET}&#0060;&#47;private&#0062;`,
    'hexadecimal entities': `&#x3c;private&#X3E;${SECRET}&#x003C;/private&#x3e;`,
    'entities for letters': `<&#112;rivate>${SECRET}</privat&#x65;>`,
    'json escapes': `\\u003cprivate\\u003e${SECRET}\\u003c/private\\u003e`,
    'json escapes, upper case': `\\u003Cprivate\\u003E${SECRET}\\u003C/private\\u003E`,
    'json escaped slash': `<private>${SECRET}<\\/private>`,
    'json escaped newline in the tag': `<private\\nx=1>${SECRET}</private\\n>`,
    'byte escapes': `\\x3cprivate\\x3e${SECRET}\\x3c/private\\x3e`,
    'url escapes': `%3Cprivate%3E${SECRET}%3C%2Fprivate%3E`,
    'zero-width characters': `<pri${ZERO_WIDTH}vate>${SECRET}</${ZERO_WIDTH}private${ZERO_WIDTH}>`,
    'zero-width after the bracket': `<\ufeffprivate>${SECRET}<\u2060/private>`,
    'soft hyphen': `<pri\u00advate>${SECRET}</pri\u00advate>`,
    'colours around the name': `<\x1b[31mprivate\x1b[0m>${SECRET}</\x1b[31mprivate\x1b[0m>`,
    'colours in the name': `<pri\x1b[1;31mvate>${SECRET}<\x9b0m/priv\x1b[mate>`,
    'a colour of many numbers': `<\x1b[${'0;'.repeat(90)}1mprivate>${SECRET}</private>`,
    'colours within a bracket': `&l\x1b[1mt;private&\x1b[0mgt;${SECRET}&lt;/private%\x1b[0m3e`,
    'an invisible character within a bracket': `&\u200blt;private>${SECRET}&\u200blt;/private>`,
    'colours written as escapes': `<\\u001b[31mprivate\\x1b[0m>${SECRET}<\\033[31m/private\\e[0m>`,
    'colours written as entities': `<&#27;[31mprivate&#x1b;[0m>${SECRET}<%1b[31m/private%1B%5B0m>`,
    'the address of a link': `<\x1b]8;;https://a.example\x07private>${SECRET}</private\x1b]8;;\x1b\\>`,
    'letters struck twice': `<p\bpr\bri\biv\bva\bat\bte\be>${SECRET}</_\bp_\br_\bi_\bv_\ba_\bt_\be_\b>`,
    'letters struck out': `<xyz\b\b\bprivate>${SECRET}</privates\b>`,
    'backspaces that strike a letter': `<private\b>${SECRET}</pri\bvate>`,
    'control characters': `<\x01pri\x00vate\x7f>${SECRET}</\x0eprivate\x9c>`,
    'opened in one form, closed in another': `&lt;private&gt;${SECRET}</PRIVATE>`,
    'a bracket inside': `<private>a < b && ${SECRET} > c</private>`,
    'a tag of another kind inside': `<private><b>${SECRET}</b></private>`,
    'context of ours': `<claude-mem-context>${SECRET}</claude-mem-context>`,
    'reminder of the host': `<system-reminder>${SECRET}</system-reminder>`,
    'context inside a reminder': `<system-reminder>x<claude-mem-context>${SECRET}</claude-mem-context>y</system-reminder>`,
  };
  for (const [name, form] of Object.entries(forms)) {
    test(name, () => {
      expect(stripPrivate(`before ${form} after`)).toEqual({ text: 'before  after', stripped: true });
    });
  }
  test('several blocks', () => {
    expect(stripPrivate(`a<private>x</private>b<system-reminder>y</system-reminder>c`).text).toBe('abc');
  });
  test('what a terminal does not show, such as the address of a link', () => {
    expect(stripPrivate(`a \x1b]8;;<private>${SECRET}</private>\x07b`).text).not.toContain(SECRET);
  });
  test('a text that is all private becomes empty', () => {
    expect(stripPrivate(`<private>${SECRET}</private>`)).toEqual({ text: '', stripped: true });
  });
});

describe('drops everything from the opening tag to the end when the block is not well closed', () => {
  const forms: Record<string, string> = {
    unclosed: `<private>${SECRET} more`,
    'unclosed opening tag': `<private ${SECRET} more`,
    'cut right after the name': '<private',
    nested: `<private>a<private>b</private>${SECRET}</private>`,
    'nested in another form': `<private>a&lt;private&gt;b</private>${SECRET}</private>`,
    'self-closing': `<private/>${SECRET}`,
    'closing tag cut': `<private>${SECRET}</private`,
    'closing tag with text in it': `<private>${SECRET}</private x>`,
    'closed by another tag': `<private>${SECRET}</system-reminder>${SECRET}`,
    crossed: `<system-reminder>a<private>b</system-reminder>${SECRET}</private>`,
    'closing tag inside an attribute': `<private x="</private>">${SECRET}</private>`,
    'opening tag inside an opening tag': `<private <private>x</private>${SECRET}</private>`,
    'a word that only begins like the closing tag': `<private>a</privateKey>${SECRET}`,
  };
  for (const [name, form] of Object.entries(forms)) {
    test(name, () => {
      expect(stripPrivate(`before ${form}`)).toEqual({ text: 'before ', stripped: true });
    });
  }
});

describe('leaves alone what is not our tag', () => {
  const texts = [
    ...['', 'plain words', 'if (a < b && c > d) private = 1 % 3; "\\\\n"', 'Map<private_t, string>', 'a stray </private> stays'],
    ...['<privateKey>k</privateKey>', '<private-note>n</private-note>', '<private_x>n</private_x>', '<privates>', '<xprivate>'],
    ...['<system-reminders>', '&lt;p&gt; private &lt;/p&gt;', '<priva', '<', '&lt;', '\\u003c', 'C:\\private\\u00'],
  ];
  for (const text of texts) {
    test(JSON.stringify(text), () => expect(stripPrivate(text)).toEqual({ text, stripped: false }));
  }
});

test('never leaks from a block, however its tags are disguised and whatever surrounds it', () => {
  const random = seededRandom(11);
  const brackets = [
    ['<', '>'],
    ['&lt;', '&gt;'],
    ['&#60;', '&#x3e;'],
    ['\\u003c', '\\u003E'],
    ['%3C', '%3E'],
  ] as const;
  const noise = ['', ' ', 'a', '<', '>', '&', '&lt', '\\', '<b>', '</', '<private-note>', 'x < y', '\n', '%', '<pri'];
  const hex = (letter: string) => letter.charCodeAt(0).toString(16);
  const letters = [
    (letter: string) => letter,
    (letter: string) => letter.toUpperCase(),
    (letter: string) => letter + ZERO_WIDTH,
    (letter: string) => `&#${letter.charCodeAt(0)};`,
    (letter: string) => `&#x${hex(letter)};`,
    (letter: string) => `\\u00${hex(letter)}`,
    (letter: string) => `%${hex(letter)}`,
  ];
  const disguise = (slash: string): string => {
    const [open, close] = random.of(brackets);
    const name = [...random.of(NAMES)].map((letter) => random.of(letters)(letter)).join('');
    return `${open}${random.of(['', ' ', ZERO_WIDTH])}${slash}${name}${random.of(['', ' ', '\n'])}${close}`;
  };
  for (let i = 0; i < 5000; i++) {
    const some = (): string => Array.from({ length: random.below(4) }, () => random.of(noise)).join('');
    const closing = random.below(4) === 0 ? '' : disguise('/');
    const text = `${some()}${disguise('')}${some()}${SECRET}${some()}${closing}${some()}`;
    expect({ text, left: stripPrivate(text).text.includes(SECRET) }).toEqual({ text, left: false });
  }
});

test('gives up a text when the time is up, and never in the middle of it', () => {
  expect(stripWithin('a <private>b</private>', () => true)).toBe(null);
  let looks = 0;
  const text = '<&#9;'.repeat(50_000);
  expect(stripWithin(text, () => ++looks > 3)).toBe(null);
  expect(looks).toBe(4);
});

describe('takes time in proportion to the text', () => {
  test.each(Object.entries(HOSTILE_UNITS))('%s', (_, unit) => {
    const [one, two] = [hostileText(unit, 200_000), hostileText(unit, 400_000)];
    stripPrivate(one);
    const before = cpuMs(() => stripPrivate(one));
    // A quadratic pass takes minutes for 400 KB.
    expect(cpuMs(() => stripPrivate(two))).toBeLessThan(3 * before + 60);
  });
});

test('takes 3.5 MB of the tags that stopped others for seconds in under 0.3 s', () => {
  for (const unit of ['<private>', '<private ']) {
    expect(cpuMs(() => stripPrivate(unit.repeat(Math.ceil(3_500_000 / unit.length))))).toBeLessThan(300);
  }
});
