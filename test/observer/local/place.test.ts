// In which folder the commands of a shell line ran.
import { expect, test } from 'bun:test';
import { placeCommands } from '../../../src/observer/local/commands/place.ts';
import { splitShell } from '../../../src/observer/local/commands/shell.ts';

const ROOT = '/home/dev/shop';
const folderOf = (line: string, cwd: string) => placeCommands(splitShell(line), { root: ROOT, cwd }).at(-1);

test.each([
  ['git status', ROOT, ''],
  ['cd app && git status', ROOT, 'app'],
  ['cd app && cd ../web && git status', ROOT, 'web'],
  ['(cd app && ls) && git status', ROOT, ''],
  ['(cd app && ls); (git status)', ROOT, ''],
  ['git -C app/src status', ROOT, 'app/src'],
  ['npm --prefix=app test', ROOT, 'app'],
  ['git status', `${ROOT}/app`, 'app'],
  ['cd .. && git status', `${ROOT}/app`, ''],
  ['cd ~/shop && git status', ROOT, ''],
  ['cd "$(git rev-parse --show-toplevel)" && git status', `${ROOT}/app`, ''],
  ['cd ../other && git status', ROOT, '/home/dev/other'],
  ['cd ../shop-2 && git status', ROOT, '/home/dev/shop-2'],
  ['cd "$DIR" && git status', ROOT, null],
  ['cd ~/elsewhere && git status', ROOT, null],
])('%s in %s', (line, cwd, folder) => expect(folderOf(line, cwd)?.folder).toBe(folder));

test('a host that tells the folder as it is after the command does not make it go there twice', () =>
  expect(folderOf('cd app && git status', `${ROOT}/app`)?.folder).toBe('app'));

test('only what is sent out of the session’s own tree is elsewhere', () => {
  expect(folderOf('cd ../other && git status', ROOT)?.isElsewhere).toBe(true);
  expect(folderOf('git status', '/home/dev/shop-worktree')?.isElsewhere).toBe(false);
  expect(folderOf('cd app && git status', ROOT)?.isElsewhere).toBe(false);
});
