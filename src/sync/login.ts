// How a machine joins: the first by an invitation, with a key of its own; every other one from a machine that has it, or by the phrase.

import { createHubClient, type Fetch, type HubClient } from './client.ts';
import { bindingOf, createSealer, makeSeed } from './crypto.ts';
import { createPairing, makeCode, nameIn } from './pairing.ts';
import type { Account } from './state.ts';

type Where = { hub: string; device: string; fetch?: Fetch | undefined };

type Seed = ReturnType<typeof makeSeed>;

/**
 * A new key is made, unless the account has memories at the hub: then `askSeed` must bring theirs, by the recovery phrase. It is asked
 * until it does, or throws: two keys in one account would be one memory that no machine can read as a whole.
 */
export async function loginByInvitation(
  { hub, device, fetch }: Where,
  code: string,
  askSeed: () => Promise<Seed> = failToAsk,
): Promise<Account> {
  const { token, device: id } = await createHubClient({ hub, token: null, fetch }).login(code, device);
  const client = createHubClient({ hub, token, fetch });
  const { member, name, personal, personalHead } = await client.me();
  try {
    const seed = personalHead === 0 ? makeSeed() : await findSeed(client, personal, askSeed);
    const sealing = { personal, seed: Buffer.from(seed).toString('base64') };
    return { hub, token, device: id, member, name, ...sealing, isPaused: false };
  } catch (error) {
    await client.call('DELETE', `devices/${id}`, null).catch(() => undefined); // Nobody has its token.
    throw error;
  }
}

const failToAsk = (): Promise<Seed> => Promise.reject(new Error('This account has memories already: it takes its recovery phrase.'));

async function findSeed(client: HubClient, personal: string, askSeed: () => Promise<Seed>): Promise<Seed> {
  const { records } = await client.pull(personal, 0);
  for (;;) {
    const seed = await askSeed();
    const sealer = await createSealer(seed);
    // One is enough: others may be of a key from before.
    const opened = records.map((record) => sealer.open(record.payload ?? '', bindingOf(personal, record)));
    const settled = await Promise.allSettled(opened);
    if (records.length === 0 || settled.some(({ status }) => status === 'fulfilled')) return seed;
  }
}

type Handed = Pick<Account, 'token' | 'device' | 'member' | 'name' | 'personal' | 'seed'>;

/** On the machine that has the key. Shows the code, then resolves with the name of the machine that was added. */
export async function offerPairing(
  account: Account,
  { onCode, fetch, lookMs = 500 }: { onCode: (code: string) => void; fetch?: Fetch | undefined; lookMs?: number },
) {
  const client = createHubClient({ ...account, fetch });
  const code = makeCode();
  const pairing = await createPairing(code, 'first');
  await client.offer(pairing.id, await pairing.half());
  onCode(code);
  try {
    for (;;) {
      const { answer } = await client.pairing(pairing.id);
      if (answer) {
        const { seal } = await pairing.meet(answer);
        const name = nameIn(answer);
        const { token, device } = await client.addDevice(name);
        const { member, name: who, personal, seed } = account;
        const handed: Handed = { token, device, member, name: who, personal, seed };
        await client.handOver(pairing.id, await seal(JSON.stringify(handed)));
        return { device: name };
      }
      await Bun.sleep(lookMs);
    }
  } catch (error) {
    await client.endPairing(pairing.id).catch(() => undefined); // It expires by itself.
    throw error;
  }
}

export async function joinByCode({ hub, device, fetch }: Where, code: string, lookMs = 500): Promise<Account> {
  const client = createHubClient({ hub, token: null, fetch });
  const pairing = await createPairing(code, 'second', device);
  const { offer } = await client.pairing(pairing.id);
  const { open } = await pairing.meet(offer);
  await client.answer(pairing.id, await pairing.half());
  for (;;) {
    const { sealed } = await client.pairing(pairing.id);
    if (sealed !== null) {
      const handed: Handed = JSON.parse(await open(sealed));
      return { hub, ...handed, isPaused: false };
    }
    await Bun.sleep(lookMs);
  }
}
