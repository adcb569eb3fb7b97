// The reader of git's settings against git itself: what git says of a file is what we say of it.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseGitConfig } from '../../src/git/git-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'cmem-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CASES = [
  '',
  '[remote "origin"]\n\turl = https://forge.test/a/b\n',
  '[remote "origin"] url = same-line\n',
  '[REMOTE "origin"]\nURL = capitals\n[remote "Origin"]\nurl = another\n',
  '[remote.Origin]\nurl = old-way\n',
  '[remote "or\\"ig\\\\in"]\nurl = escaped\n',
  '[remote "a.b"]\nurl = dotted\n',
  '[remote "origin"]\nurl = one\n[core]\nbare = false\n[remote "origin"]\nurl = two\n',
  '# comment\n; other\n[remote "origin"] # here\nurl = x # there\nurl = y;there\n',
  '[remote "origin"]\nurl = "quoted # not a comment"\nurl = a" b "c\n',
  '[remote "origin"]\nurl = long \\\n  er\nurl = tab\\tend\nurl = back\\\\slash\nurl = "in\\nside"\n',
  '[remote "origin"]\nurl =   blanks inside   and after   \nurl = "  kept  "  \n',
  '[remote "origin"]\nurl\nurl =\n',
  '[remote "origin"]\r\nurl = windows\r\n',
  '\uFEFF[remote "origin"]\nurl = marked\n',
  '[include]\npath = elsewhere\n[remote "origin"]\nurl = here\n',
  '[remote "origin"]\nurl = no-newline',
  'url = before any section\n',
  // Refused by git as a whole.
  '[remote "origin]\nurl = x\n',
  '[remote "origin"\nurl = x\n',
  '[remote "origin"]\nurl = "open\n',
  '[remote "origin"]\nurl = wrong \\q escape\n',
  '[remote "origin"]\n1url = x\n',
  '[remote "origin"]\nurl : x\n',
  '[remote\n"origin"]\nurl = x\n',
  '[]\nurl = x\n',
  'garbage\0[remote "origin"]\nurl = x\n',
];

test.each(CASES.map((text) => [text]))('%j', (text) => {
  const path = join(folder, 'config');
  writeFileSync(path, text);
  const git = Bun.spawnSync(['git', 'config', '--file', path, '--no-includes', '--list', '-z'], {
    env: { PATH: '/usr/bin:/bin' },
  });
  const said = git.exitCode === 0 ? readList(git.stdout.toString()) : null;
  const own = parseGitConfig(text);
  expect(own && Object.fromEntries(own)).toEqual(said);
});

/** `name LF value NUL`; without a value it is true. */
function readList(text: string): Record<string, string[]> {
  const said: Record<string, string[]> = {};
  for (const entry of text.split('\0').slice(0, -1)) {
    const [name = '', ...value] = entry.split('\n');
    said[name] = [...(said[name] ?? []), value.length === 0 ? 'true' : value.join('\n')];
  }
  return said;
}
