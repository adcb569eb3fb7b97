// hole-S5: secrets of a hundred kinds were kept, also such as a colour tore apart, and what older rules had kept stayed for good.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashParts } from '../../src/core/ids.ts';
import { startMcp } from '../mcp/mcp-process.ts';
import { type Example, makeExamples, makeForms } from '../secrets/examples.ts';
import { createLines } from '../support/claude-lines.ts';
import { say, startFakeModel } from '../support/fake-model.ts';
import { bash, edit, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let examples: Example[];
let forms: Example[];
let shop: string;
beforeEach(() => {
  sandbox = createSandbox();
  shop = sandbox.project('shop');
  examples = makeExamples(17);
  forms = makeForms(17);
});
afterEach(() => sandbox.dispose());

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
/** So many at a time that no text is so long that it is cut. */
const SOME = 40;
const join40 = (list: Example[]): string[] =>
  Array.from({ length: Math.ceil(list.length / SOME) }, (_, i) =>
    list
      .slice(i * SOME, (i + 1) * SOME)
      .map(({ line }) => line)
      .join('\n\n'),
  );
/** The example of every row of the tables, and the forms of forms.txt. */
const texts = (): string[] => [...join40(examples), ...join40(forms)];

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());

/** Which of them have left a byte in any file. */
function leaks(folder = sandbox.paths.dataDir, of = examples): string[] {
  const bytes = Buffer.concat(files(folder).map((path) => readFileSync(path)));
  return of.filter(({ parts }) => parts.some((part) => bytes.includes(part))).map(({ line }) => line);
}

/** Nothing of the tables' examples, and of at least 93 of 100 forms nothing either. */
function expectScrubbed(folder = sandbox.paths.dataDir): void {
  expect(leaks(folder)).toEqual([]);
  const missed = leaks(folder, forms);
  console.log(`hole-S5: ${missed.length} of ${forms.length} forms are left`);
  expect(missed.length / forms.length, missed.join('\n')).toBeLessThanOrEqual(0.07);
}

const count = (sql: string) => sandbox.query<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)[0]?.n ?? 0;

describe('hole-S5', () => {
  test('nothing of any kind is kept of what a hook brings, nor of what a colour tore apart in it', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s5', shop, `Use these:\n${texts()[0]}`));
    for (const text of texts()) {
      await sandbox.hook('save', bash('s5', shop, 'cat notes.txt', text));
      await sandbox.hook(
        'save',
        edit(
          's5',
          shop,
          'notes.txt',
          text.split('\n').map((line) => `+${line}`),
        ),
      );
    }
    const torn = examples.map(({ line, parts: [part = ''] }) => {
      const middle = line.indexOf(part) + 6;
      return part === '' ? '' : `${line.slice(0, middle)}\u001b[0m\u200b${line.slice(middle)}`;
    });
    for (let i = 0; i < torn.length; i += SOME)
      await sandbox.hook('save', bash('s5', shop, 'ls --color', torn.slice(i, i + SOME).join('\n\n')));
    await sandbox.hook('summary', stop('s5', shop, `Decision: we keep them.\n${texts().at(-1)}`));
    await until(() => count('summaries') > 0);
    await sandbox.hook('cleanup', sessionEnd('s5', shop));
    expect(count('events WHERE payload IS NOT NULL')).toBeGreaterThan(10);
    expectScrubbed();
  });

  test('nor of what several lines of an edit, a listing or a quotation tell together', async () => {
    await sandbox.startWorker();
    const secrets = ['kzrtpAB47!q', 'vndfgCD83_q', 'hbmsqEF29#q', 'Y3RwcnNnRkIyN19x', 'tzkvnBC62!q'];
    const lines = [
      'accounts:',
      '  name,password',
      `  joe,${secrets[0]}`,
      '',
      'password: |',
      `  ${secrets[1]}`,
      '<key>Password</key>',
      `<string>${secrets[2]}</string>`,
      'kind: Secret',
      'data:',
      `  smtp: ${secrets[3]}`,
      'password = <<EOT',
      `${secrets[4]}`,
      'EOT',
    ];
    const write = (sign: (at: number) => string) => lines.map((line, at) => `${sign(at)}${line}`);
    await sandbox.hook('new', userPrompt('s5', shop, `Keep this:\n${write(() => '> ').join('\n')}`));
    await sandbox.hook('save', edit('s5', shop, 'notes.txt', [' first', ...write(() => '+')]));
    await sandbox.hook('save', bash('s5', shop, 'cat -n notes.txt', write((at) => `     ${at + 1}\t`).join('\n')));
    await sandbox.hook('save', bash('s5', shop, 'git diff', ['@@ -1 +1,9 @@', ...write(() => '+')].join('\n')));
    await sandbox.hook('summary', stop('s5', shop, `Kept them:\n${lines.join('\n')}`));
    await until(() => count('summaries') > 0);
    const bytes = files(sandbox.paths.dataDir).map((path) => readFileSync(path, 'latin1'));
    expect(secrets.filter((secret) => bytes.some((text) => text.includes(secret)))).toEqual([]);
  });

  test('nothing is kept in the spool while no worker runs', async () => {
    // The memory is a folder: a worker that is started gives up, and every hook has to spool.
    mkdirSync(sandbox.paths.database, { recursive: true });
    for (const text of texts()) await sandbox.hook('save', bash('s5', shop, 'cat notes.txt', text));
    expect(readdirSync(sandbox.paths.spool).filter((name) => name.endsWith('.json')).length).toBeGreaterThan(5);
    expectScrubbed();
  });

  test('nothing comes in by an import, by the tools, by HTTP or by a model, and nothing goes out by an export or a backup', async () => {
    const answers = texts();
    const model = startFakeModel(() => say(answerOf(answers.splice(0, 3))));
    mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(
      sandbox.paths.config,
      JSON.stringify({ provider: 'openai', model: 'fake', baseUrl: model.baseUrl, quietSeconds: 0, retrySeconds: 0.05 }),
      { mode: 0o600 },
    );
    try {
      await sandbox.startWorker();
      const lines = createLines({ cwd: shop });
      const transcript = join(sandbox.home, '.claude/projects/-home-dev-shop/11111111-2222-4333-8444-555555555555.jsonl');
      const told = texts().flatMap((text, i) => [
        lines.prompt(`Look at this:\n${text}`),
        ...lines.bash(`t${i}`, 'cat notes.txt', text),
        lines.say(`Noted: ${text}`),
      ]);
      await Bun.write(transcript, toLines(told));
      await sandbox.person('import', '--yes', '--json');
      expect(count('prompts')).toBe(texts().length);
      await rememberByTool(texts());
      for (const text of texts()) expect((await sandbox.cli('remember', `Remember this: ${text}`, '--project', 'shop')).code).toBe(0);
      for (const [at, text] of texts().entries()) {
        const saved = await fetch('http://localhost/api/memory/save', {
          unix: sandbox.paths.httpSocket,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ text: `Saved by HTTP: ${text}`, title: `Keys of page ${at}`, cwd: shop }),
        });
        // 200 would be a memory that was known already.
        expect(saved.status).toBe(201);
      }
      for (let turn = 0; turn * 3 < texts().length; turn++) {
        await sandbox.hook('new', userPrompt(`s${turn}`, shop, 'Tell me about keys and where they are kept'));
        await sandbox.hook('save', edit(`s${turn}`, shop, 'keys.ts', [`+keep(${turn})`, '-lose()']));
        await sandbox.hook('summary', stop(`s${turn}`, shop, 'Decision: keys are kept in the vault, because files leak.'));
      }
      await until(() => answers.length === 0 && count("model_calls WHERE status = 'answered'") * 3 >= texts().length);
      const out = join(sandbox.home, 'out');
      mkdirSync(out);
      await sandbox.person('export', join(out, 'all.jsonl'));
      await sandbox.person('backup', join(out, 'all.db'));
      expectScrubbed();
      expect(readdirSync(out)).toHaveLength(2);
      expectScrubbed(out);
    } finally {
      model.close();
    }
  });

  test('what older rules kept is scanned once by the new ones, over a kill -9, until no byte is left', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s5', shop, 'Begin'));
    await sandbox.hook('save', edit('s5', shop, 'a.ts', ['+one()']));
    await sandbox.hook('summary', stop('s5', shop, 'Decision: we begin with one, because it is the first.'));
    await until(() => count('summaries') > 0);
    await sandbox.cli('stop');
    // That the rules know all of them is shown above.
    const old = examples.filter((_, at) => IS_FULL || at % 4 === 0);
    keepByOldRules(old);
    expect(leaks(sandbox.paths.dataDir, old).length).toBeGreaterThan(old.length * 0.9);
    const pid = await sandbox.startWorker();
    process.kill(pid, 'SIGKILL');
    await sandbox.startWorker();
    await until(() => count("id_marks WHERE name LIKE 'rescan:%'") === 0);
    await until(() => leaks().length === 0);
    const { stdout } = await sandbox.cli('status');
    expect(stdout).toContain('rescrubbed:');
    expect((await sandbox.cli('show', '5000')).stdout).toContain('[secret:');
    expect((await sandbox.cli('search', 'keyring', '--all')).stdout).toContain('keyring');
    await sandbox.cli('stop');
    expect(leaks()).toEqual([]);
    const db = new Database(sandbox.paths.database);
    expect(db.query("INSERT INTO words (words) VALUES ('integrity-check')").run().changes).toBeGreaterThanOrEqual(0);
    db.close();
  });
});

/** What a model would say that repeats all it was shown. */
const answerOf = ([narrative = '', fact = '', learned = '']: string[]) =>
  `<observation><type>discovery</type><title>Keys</title><narrative>${narrative}</narrative><facts><fact>${fact}</fact></facts></observation>
  <summary><request>Keys</request><learned>${learned}</learned></summary>`;

/** As a client does that starts the MCP server. */
async function rememberByTool(said: string[]): Promise<void> {
  const mcp = startMcp({ ...sandbox.env, CLAUDE_PROJECT_DIR: shop });
  for (const text of said) {
    const { result } = await mcp.request('tools/call', { name: 'remember', arguments: { title: 'Keys', text } });
    expect(result.content[0].text).toContain('Remembered as');
  }
  await mcp.end();
}

/** Rows as the old rules would have let them in, with their documents. */
function keepByOldRules(old: Example[]): void {
  const db = new Database(sandbox.paths.database);
  db.run('PRAGMA secure_delete = ON');
  const [session] = db.query<{ id: number; project: number }, []>('SELECT id, project_id AS project FROM sessions').all();
  db.transaction(() => {
    db.run("DELETE FROM id_marks WHERE name LIKE 'rescan%'");
    old.forEach(({ line }, i) => {
      const id = 5000 + i;
      db.query(
        `INSERT INTO observations (id, session_id, project_id, type, title, narrative, facts, origin, trust, tokens, hash, created_at, created_at_epoch)
         VALUES (?, ?, ?, 'discovery', ?, ?, ?, 'agent', 2, 9, ?, '2026-01-01T00:00:00.000Z', 1767225600000)`,
      ).run(
        id,
        session?.id ?? 0,
        session?.project ?? 0,
        `keyring ${i}`,
        line,
        JSON.stringify([{ text: line, sources: [] }]),
        hashParts(['discovery', `keyring ${i}`, null, line, JSON.stringify([{ text: line, sources: [] }]), '[]', '[]', '[]', null]),
      );
      db.query(
        `INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
         VALUES ('observation', ?, ?, ?, 'discovery', 1767225600000, ?, ?, ?, ?, '')`,
      ).run(id, session?.project ?? 0, session?.id ?? 0, `keyring ${line}`, line, line, line);
    });
    db.query('UPDATE events SET payload = ? WHERE seq = (SELECT min(seq) FROM events)').run(
      JSON.stringify({ kind: 'prompt', text: texts()[0] }),
    );
    db.query('UPDATE sessions SET first_prompt = ?').run(examples[0]?.line ?? '');
  })();
  db.close();
  for (const name of ['-wal', '-shm']) rmSync(`${sandbox.paths.database}${name}`, { force: true });
  // Whoever writes past the worker would be taken for damage.
  rmSync(sandbox.paths.pageSums);
}
