// Nothing of a private turn is written, also when no worker is there to know that it is private.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bash, bashFailure, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const NEEDLE = 'needle-of-the-private-turn';
const CWD = '/home/dev/shop';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

/** The memory is a folder: a worker that is started gives up, and every hook has to spool. */
function withoutWorker(): void {
  mkdirSync(sandbox.paths.database, { recursive: true });
}

const files = () =>
  readdirSync(sandbox.paths.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(sandbox.paths.dataDir, name))
    .filter((path) => lstatSync(path).isFile());
const filesWith = (text: string) => files().filter((path) => readFileSync(path, 'latin1').includes(text));
const spooled = () =>
  readdirSync(sandbox.paths.spool)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(sandbox.paths.spool, name), 'utf8')));

const privatePrompt = (session: string, promptId?: string) =>
  userPrompt(session, CWD, `<private>${NEEDLE}: what is my password?</private>`, { prompt_id: promptId });

/** Everything that a turn may say besides its prompt. */
async function tellTurn(session: string, words: string, promptId?: string): Promise<void> {
  const more = promptId ? { prompt_id: promptId } : {};
  await sandbox.hook('save', bash(session, CWD, 'pass show bank', words, more));
  await sandbox.hook('save', { ...bashFailure(session, CWD, 'pass show x', words), ...more });
  await sandbox.hook('save', bash(session, CWD, 'ls', words, { ...more, agent_id: 'agent-1' }));
  const report = {
    session_id: session,
    cwd: CWD,
    hook_event_name: 'SubagentStop',
    agent_id: 'agent-1',
    last_assistant_message: words,
  };
  await sandbox.hook('save', { ...report, ...more });
  await sandbox.hook('save', {
    session_id: session,
    cwd: CWD,
    hook_event_name: 'PostCompact',
    compact_summary: words,
    ...more,
  });
  await sandbox.hook('summary', stop(session, CWD, `Your password is ${words}`, more));
}

describe('hole-S13: without a worker', () => {
  beforeEach(withoutWorker);

  test.each([
    ['with the ids of prompts', 'p1', 'p2'],
    ['without them', undefined, undefined],
  ])(
    'nothing of a private turn is spooled, %s',
    async (_, first, second) => {
      await sandbox.hook('new', privatePrompt('s', first));
      await tellTurn('s', NEEDLE, first);
      expect(filesWith(NEEDLE)).toEqual([]);
      expect(spooled()).toMatchObject([{ event: 'new', private: true, payload: { prompt: '' } }]);
      await sandbox.hook('new', userPrompt('s', CWD, 'Now list the files', { prompt_id: second }));
      await sandbox.hook('save', bash('s', CWD, 'ls', 'public-words', second ? { prompt_id: second } : {}));
      expect(filesWith('public-words')).toHaveLength(1);
      expect(filesWith(NEEDLE)).toEqual([]);
    },
    30_000,
  );

  test('other sessions are spooled meanwhile', async () => {
    await sandbox.hook('new', privatePrompt('s', 'p1'));
    await sandbox.hook('new', userPrompt('other', CWD, 'List the files', { prompt_id: 'p2' }));
    await sandbox.hook('save', bash('other', CWD, 'ls', 'public-words', { prompt_id: 'p2' }));
    await sandbox.hook('save', bash('s', CWD, 'cat', NEEDLE, { prompt_id: 'p1' }));
    expect(filesWith('public-words')).toHaveLength(1);
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test('what comes late for a private prompt, after a public one, is not spooled either', async () => {
    await sandbox.hook('new', privatePrompt('s', 'p1'));
    await sandbox.hook('new', userPrompt('s', CWD, 'List the files', { prompt_id: 'p2' }));
    await sandbox.hook('save', bash('s', CWD, 'cat', NEEDLE, { prompt_id: 'p1' }));
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test('the marks tell nothing, are for this user alone, and follow no link', async () => {
    const elsewhere = join(sandbox.home, 'elsewhere');
    await sandbox.hook('new', privatePrompt('session-with-a-name', 'p1'));
    const marks = readdirSync(sandbox.paths.privateMarks);
    expect(marks.join(' ')).toMatch(/^[0-9a-f. now]+$/);
    for (const mark of marks) {
      const path = join(sandbox.paths.privateMarks, mark);
      expect([statSync(path).size, statSync(path).mode & 0o077]).toEqual([0, 0]);
    }
    expect(filesWith('session-with-a-name').every((path) => path.endsWith('.json'))).toBe(true);
    await sandbox.cli('stop');
    for (const mark of marks) {
      await Bun.file(join(sandbox.paths.privateMarks, mark)).delete();
      symlinkSync(elsewhere, join(sandbox.paths.privateMarks, mark));
    }
    await sandbox.hook('new', privatePrompt('session-with-a-name', 'p1'));
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe('hole-S13: with a worker at the prompt', () => {
  test('that is gone at the tool, nothing of the turn is spooled', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', privatePrompt('s', 'p1'));
    await sandbox.cli('stop');
    // Whatever starts now finds no memory that it could use.
    const { database } = sandbox.paths;
    for (const path of [database, `${database}-wal`, `${database}-shm`])
      if (existsSync(path)) await Bun.file(path).delete();
    withoutWorker();
    writeFileSync(join(database, 'x'), '');
    await tellTurn('s', NEEDLE, 'p1');
    expect(filesWith(NEEDLE)).toEqual([]);
  }, 30_000);

  test('the end of the session takes its marks away, and no others', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', privatePrompt('one', 'p1'));
    await sandbox.hook('new', privatePrompt('two', 'p2'));
    expect(readdirSync(sandbox.paths.privateMarks)).toHaveLength(6);
    await sandbox.hook('cleanup', sessionEnd('one', CWD));
    await until(() => readdirSync(sandbox.paths.privateMarks).length === 3);
  });
});
