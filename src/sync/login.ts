// How a machine joins: the first by an invitation, with a key of its own; every other one from a machine that has it, or by the phrase.
import type { Account } from './account.ts';
import { createHubClient, type Fetch } from './client.ts';
import { makeSeed } from './crypto.ts';
import { createPairing, makeCode, nameIn } from './pairing.ts';

type Where = { hub: string; device: string; fetch?: Fetch };

/** `seed`: of the recovery phrase; without one a new key is made. */
export async function loginByInvitation({ hub, device, fetch }: Where, code: string, seed = makeSeed()): Promise<Account> {
  const given = fetch && { fetch };
  const { token, device: id } = await createHubClient({ hub, token: null, ...given }).login(code, device);
  const { member, name, personal } = await createHubClient({ hub, token, ...given }).me();
  return { hub, token, device: id, member, name, personal, seed: Buffer.from(seed).toString('base64'), isPaused: false };
}

type Handed = Pick<Account, 'token' | 'device' | 'member' | 'name' | 'personal' | 'seed'>;

/** On the machine that has the key. Shows the code, then resolves with the name of the machine that was added. */
export async function offerPairing(
  account: Account,
  { onCode, fetch, lookMs = 500 }: { onCode: (code: string) => void; fetch?: Fetch; lookMs?: number },
) {
  const client = createHubClient({ ...account, ...(fetch && { fetch }) });
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
        await client.handOver(
          pairing.id,
          await seal(JSON.stringify({ token, device, member, name: who, personal, seed } satisfies Handed)),
        );
        return { device: name };
      }
      await Bun.sleep(lookMs);
    }
  } catch (error) {
    await client.endPairing(pairing.id).catch(() => undefined); // It expires by itself.
    throw error;
  }
}

/** On the new machine. */
export async function joinByCode({ hub, device, fetch }: Where, code: string, lookMs = 500): Promise<Account> {
  const client = createHubClient({ hub, token: null, ...(fetch && { fetch }) });
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
