// `claude-mem sync`: the same memory on every machine of a person, through a hub that cannot read it.
import { hostname } from 'node:os';
import { askWorker, callApi } from '../../client/api.ts';
import { DevicesAnswer, type SyncStatus } from '../../core/shapes/sync.ts';
import { sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { requireOwn } from '../../own-files.ts';
import { findPaths } from '../../paths.ts';
import { checkHubUrl, createHubClient, HubCallError } from '../../sync/client.ts';
import { readPhrase, writePhrase } from '../../sync/crypto.ts';
import { joinByCode, loginByInvitation, offerPairing } from '../../sync/login.ts';
import { readCode } from '../../sync/pairing.ts';
import { type Account, dropAccount, readAccount, writeAccount } from '../../sync/state.ts';
import { readSecret } from '../ask.ts';
import { command, person } from '../command.ts';
import { formatSeconds } from '../watch-job.ts';

const SENDS = person('It decides where your memories are sent, and who can read them.');

export function requireAccount(): Account {
  const account = readAccount(findPaths().sync);
  if (account) return account;
  throw new Error('This machine has no hub. Run `claude-mem sync login HUB`.');
}

export const clientOf = (account: Account) => createHubClient(account);

/** The running worker reads the account again; without one the next does. */
const tellWorker = () => callApi(findPaths(), '/api/sync', { method: 'POST', timeoutMs: 60_000 });

const loginCommand = command({
  name: 'login <hub>',
  about: 'Join a hub: with an invitation, or with the code of a machine that has joined',
  options: { '--name <name>': 'What this machine is called in the list of devices' },
  help: `The code is asked for, or read from stdin. An address begins with https://, or http:// on this machine. Who lost all machines
gets a new invitation, and is asked for the recovery phrase.`,
  examples: ['claude-mem sync login https://hub.example.org'],
  who: SENDS,
  async run(said, { name }) {
    const { sync: path } = findPaths();
    // An invitation works once: what would keep its account from being written comes first.
    requireOwn(findPaths());
    if (readAccount(path)) throw new Error('This machine has joined a hub already. To leave it: claude-mem sync logout');
    const where = { hub: checkHubUrl(said), device: (name ?? hostname()).slice(0, 60) || 'machine' };
    const code = await readSecret('Code [an invitation, or that of `claude-mem sync pair`] ');
    const isPairing = readCode(code) !== null;
    const known = { isIt: false };
    const account = isPairing ? await joinByCode(where, code) : await loginByInvitation(where, code, () => askPhrase(known));
    writeAccount(path, account);
    // What is at the hub is wanted here now, and not with the next session.
    await askWorker(findPaths(), '/api/sync', { method: 'POST', timeoutMs: 60_000 });
    const phrase = writePhrase(new Uint8Array(Buffer.from(account.seed, 'base64')));
    const joined = `Joined ${account.hub} as ${account.name}. Your memories follow in the background; the hub cannot read them.`;
    const keep = `Write this down. Without it and without your machines nobody can read them again:\n\n  ${phrase}\n`;
    const next = 'On your next machine run `claude-mem sync login`, and here `claude-mem sync pair`.';
    const isNew = !isPairing && !known.isIt;
    return {
      answer: { hub: account.hub, name: account.name, device: account.device },
      text: () => [joined, ...(isNew ? [keep, next] : [])].join('\n'),
    };
  },
});

async function askPhrase(known: { isIt: boolean }) {
  let why = known.isIt ? 'This phrase does not open them.' : 'This account has memories already.';
  known.isIt = true;
  for (;;) {
    const phrase = await readSecret(`${why} Its recovery phrase [nine words] `);
    why = 'This is no recovery phrase: a word is misspelt or missing.';
    if (phrase === '')
      throw new Error('Without the phrase nobody can read them. `claude-mem sync pair` on a machine that has joined needs none.');
    const seed = readPhrase(phrase);
    if (seed) return seed;
  }
}

const pairCommand = command({
  name: 'pair',
  about: 'Show a code with which another machine of yours joins; it works once, for ten minutes',
  json: false,
  who: SENDS,
  async run() {
    const account = requireAccount();
    const onCode = (code: string) => {
      process.stdout.write(
        `On the other machine run \`claude-mem sync login ${account.hub}\` and give it this code:\n\n  ${code}\n\nWaiting for it …\n`,
      );
    };
    const { device } = await offerPairing(account, { onCode });
    return `${device} has joined.`;
  },
});

const NO_STATUS = 'The worker does not run. What changed waits; `claude-mem sync now` starts it.';

function describeSync(status: SyncStatus): string {
  const { state, hub, name, pending, lagMs, lastAt, error } = status;
  if (state === 'off') return 'No hub: your memories stay on this machine. `claude-mem sync login HUB` joins one.';
  const waiting =
    pending > 0 ? `; ${sayCount(pending, 'changes')} waiting, the oldest since ${formatSeconds(Math.round(lagMs / 1000))}` : '';
  const last = lastAt === null ? 'never yet' : formatMoment(lastAt);
  return [`${state}: ${hub} as ${name}${waiting}`, `last exchange: ${last}`, ...(error ? [`error: ${error}`] : [])].join('\n');
}

const statusCommand = command({
  name: 'status',
  about: 'Show whether everything is exchanged, and what fails',
  who: 'anyone',
  async run() {
    const worker = await callApi<{ sync: SyncStatus }>(findPaths(), '/api/status');
    if (!worker) return NO_STATUS;
    return { answer: worker.sync, text: () => describeSync(worker.sync) };
  },
});

const nowCommand = command({
  name: 'now',
  about: 'Exchange what changed now, and wait for it',
  who: 'anyone',
  async run() {
    requireAccount();
    const answer = await askWorker<SyncStatus>(findPaths(), '/api/sync', { method: 'POST', timeoutMs: 120_000 });
    if (answer.state === 'failed') process.exitCode = 1;
    return { answer, text: () => describeSync(answer) };
  },
});

const setPaused = (isPaused: boolean) => async () => {
  writeAccount(findPaths().sync, { ...requireAccount(), isPaused });
  await tellWorker();
  return isPaused ? 'Nothing is sent or fetched until `claude-mem sync resume`. What changes is kept for then.' : 'Sync goes on.';
};

const devicesCommand = command({
  name: 'devices',
  about: 'List the machines that have joined; an admin sees those of the team',
  who: 'owner',
  async run() {
    const account = requireAccount();
    const answer = await clientOf(account).call('GET', 'devices', DevicesAnswer);
    const lines = answer.devices.map(({ id, name, owner, seenAt, revokedAt, addedBy }) => {
      const state = revokedAt !== null ? 'revoked' : seenAt === null ? 'never seen' : `seen ${formatMoment(seenAt)}`;
      const who = owner === account.name ? name : `${name} of ${owner}`;
      const added = addedBy === null ? '' : `, let in by ${addedBy}`;
      return `${id}  ${who}, ${state}${added}${id === account.device ? ' (this machine)' : ''}`;
    });
    return { answer, text: () => lines.join('\n') };
  },
});

const revokeCommand = command({
  name: 'revoke <device>',
  about: 'Lock a machine out at once, by its id in `sync devices`',
  help: 'What it has fetched before stays on it. It keeps its copy of the key: of what you note from now on it gets nothing from the hub.',
  who: SENDS,
  async run(device) {
    const client = clientOf(requireAccount());
    const list = () => client.call('GET', 'devices', DevicesAnswer);
    const before = await list();
    await client.call('DELETE', `devices/${encodeURIComponent(device)}`, null);
    // Who revokes this machine is answered no longer.
    const { devices } = await list().catch(() => before);
    // Who had it in their hands may have let in another.
    const added = devices.filter(({ addedBy, revokedAt }) => addedBy === device && revokedAt === null);
    const lines = added.map(({ id, name }) => `It let in ${name}. If you do not know that one: claude-mem sync revoke ${id}`);
    return ['It gets nothing more, from its next request on.', ...lines].join('\n');
  },
});

const phraseCommand = command({
  name: 'phrase',
  about: 'Show the recovery phrase',
  json: false,
  who: SENDS,
  run: () => writePhrase(new Uint8Array(Buffer.from(requireAccount().seed, 'base64'))),
});

const logoutCommand = command({
  name: 'logout',
  about: 'Leave the hub: this machine keeps its memories, and the hub what it has',
  who: SENDS,
  async run() {
    const account = requireAccount();
    // The hub may be away: then the device is still listed, and its token is nowhere any more. Or it has revoked the machine already.
    const isKnown = await clientOf(account)
      .call('DELETE', `devices/${account.device}`, null)
      .then(
        () => true,
        (error) => error instanceof HubCallError && error.kind === 'refused',
      );
    dropAccount(findPaths().sync);
    await tellWorker();
    return isKnown ? 'Left the hub.' : 'Left the hub, which does not answer: revoke this machine from another one later.';
  },
});

export const syncCommand = command({
  name: 'sync',
  about: 'Share your memory between your machines, end-to-end encrypted',
  who: 'anyone',
  commands: [
    ...[loginCommand, pairCommand, statusCommand, nowCommand],
    command({ name: 'pause', about: 'Send and fetch nothing for now', who: SENDS, run: setPaused(true) }),
    command({ name: 'resume', about: 'Go on', who: SENDS, run: setPaused(false) }),
    ...[devicesCommand, revokeCommand, phraseCommand, logoutCommand],
  ],
  run: () => (statusCommand.run as () => Promise<undefined>)(),
});
