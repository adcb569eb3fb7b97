// A PostgreSQL of its own for a test: Debian's, on a port of loopback, in a folder that goes with it.
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SQL } from 'bun';

export type Postgres = {
  /** For a role that is neither superuser nor owner of the server. */
  url: string;
  adminUrl: string;
  folder: string;
  log: () => Promise<string>;
  /** As after a power cut. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Null where it is not installed: see CONTRIBUTING.md. `.ci/run` installs it. */
export function findPostgres(): string | null {
  const versions = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((name) => `/usr/lib/postgresql/${name}/bin`)
    : [];
  return versions.findLast((bin) => existsSync(`${bin}/initdb`)) ?? null;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = findPostgres();
  if (!bin) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = mkdtempSync(`${tmpdir()}/claude-mem-pg-`);
  const user = await findUser();
  if (user) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const run = async (...command: string[]) => {
    const all = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...command] : command;
    const child = Bun.spawn(all, { stdout: 'pipe', stderr: 'pipe', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: folder });
    if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${await new Response(child.stderr).text()}`);
  };
  const data = `${folder}/data`;
  await run(`${bin}/initdb`, '-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync');
  const port = findPort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=120`;
  const start = () => run(`${bin}/pg_ctl`, '-D', data, '-o', options, '-w', '-t', '60', '-l', `${folder}/log`, 'start');
  await start();
  const adminUrl = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const sql = new SQL(adminUrl, { max: 1 });
  await sql.unsafe('CREATE ROLE hub LOGIN');
  await sql.unsafe('CREATE DATABASE hub OWNER hub');
  await sql.close();
  const stop = (mode: string) => run(`${bin}/pg_ctl`, '-D', data, '-m', mode, '-w', 'stop');
  return {
    url: `postgres://hub@127.0.0.1:${port}/hub`,
    adminUrl: `postgres://postgres@127.0.0.1:${port}/hub`,
    folder,
    log: () => Bun.file(`${folder}/log`).text(),
    kill: async () => {
      const pid = Number((await Bun.file(`${data}/postmaster.pid`).text()).split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      // Its children notice by themselves; the next start waits for them.
      while (existsSync(`/proc/${pid}`)) await Bun.sleep(10);
      rmSync(`${data}/postmaster.pid`, { force: true });
    },
    start,
    stop: async () => {
      // One that was killed has stopped already.
      await stop('immediate').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL does not run as root. */
async function findUser(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const line = (await Bun.file('/etc/passwd').text()).split('\n').find((one) => /^(postgres|nobody):/.test(one));
  const [, , uid, gid] = (line ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

function findPort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port = 0 } = server;
  server.stop(true);
  return port;
}
