// `claude-mem hub`: carries memories between machines. Any number of these processes on one PostgreSQL, or one on a SQLite file.
import { readFileSync } from 'node:fs';
import { InviteBody } from '../../core/shapes/sync.ts';
import { command, misuse } from '../command.ts';

const DATABASE = { '--database <address>': 'postgres://USER@HOST/NAME, the path of a SQLite file, or @FILE that holds the address' };

/** From a file, so that a password is in no list of processes. */
function readAddress(said: string | undefined): string {
  if (!said) throw misuse('Say where the hub keeps its data: --database postgres://… or --database hub.db');
  return said.startsWith('@') ? readFileSync(said.slice(1), 'utf8').trim() : said;
}

const log = (level: string) => (message: string, fields?: object) =>
  void process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`);

export const hubCommand = command({
  name: 'hub',
  json: false,
  about: 'Run a hub, through which machines and teams share memories',
  options: {
    ...DATABASE,
    '--port <port>': 'Where it listens; 37788 unless said',
    '--host <host>': 'The address it listens on; 127.0.0.1 unless said',
  },
  help: 'Speaks HTTP: TLS is for a proxy before it (docs/hub.md). It ends with Ctrl-C.',
  examples: ['claude-mem hub --database hub.db', 'claude-mem hub --database @/etc/claude-mem/database --host 0.0.0.0'],
  who: 'anyone',
  commands: [
    command({
      name: 'add <team>',
      about: 'Add a team, or one person; print the invitation of its admin',
      options: { ...DATABASE, '--admin <name>': 'Who that is' },
      examples: ['claude-mem hub add acme --admin anna --database hub.db'],
      who: 'anyone',
      async run(team, { database, admin }) {
        if (!admin) throw misuse('Say who the admin is: --admin NAME');
        const { name } = InviteBody.pick({ name: true }).parse({ name: admin });
        const [{ openStorage }, { createTeam }] = await Promise.all([import('../../hub/serve.ts'), import('../../hub/accounts.ts')]);
        const storage = await openStorage(readAddress(database));
        const code = await createTeam(storage, { team, admin: name }, Date.now());
        await storage.close();
        return { answer: { team, admin: name, code }, text: () => `For \`claude-mem sync login\`, once, within a week:\n  ${code}` };
      },
    }),
  ],
  async run({ database, port, host = '127.0.0.1' }) {
    const { serveHub } = await import('../../hub/serve.ts');
    const server = await serveHub({
      address: readAddress(database),
      port: Number(port ?? 37_788),
      host,
      log: { warn: log('warn'), error: log('error') },
    });
    process.stdout.write(`The hub listens on ${server.url}\n`);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
    });
    await server.close();
  },
});
