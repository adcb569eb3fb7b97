// A second machine: the first shows a code, the second is given it, and the hub between them learns neither the key nor the token. Both
// make a key for this once (ECDH) and prove with the code that nobody stands between; the code has 60 bits, one try and ten minutes, and a
// recording of all that passed the hub gives nothing away, whoever learns the code later.
import type { PairingHalf } from '../core/shapes/sync.ts';
import { openWith, sealWith } from './crypto.ts';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 12;
const ROUNDS = 200_000;

/** `k7qf-9m2x-tr4d`. */
export function makeCode(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(CODE_LENGTH))].map((byte) => LETTERS[byte % 32]);
  return (letters.join('').match(/.{4}/g) ?? []).join('-');
}

/** As it was meant: capitals and blanks do not matter, o is 0, i and l are 1. Null for what is none. */
export function readCode(text: string): string | null {
  const letters = text
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replace(/o/g, '0')
    .replace(/[il]/g, '1');
  return new RegExp(`^[${LETTERS}]{${CODE_LENGTH}}$`).test(letters) ? letters : null;
}

type Side = 'first' | 'second';

/** `name`: what the new machine is called; it goes along with its key, and the mac covers both. */
export async function createPairing(code: string, side: Side, name = '') {
  const letters = readCode(code);
  if (letters === null) throw new Error('This is not a pairing code. It looks like k7qf-9m2x-tr4d.');
  const base = await crypto.subtle.importKey('raw', encode(letters), 'PBKDF2', false, ['deriveBits']);
  const salt = encode('claude-mem pairing');
  const stretched = await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS }, base, 512);
  const id = Buffer.from(stretched.slice(0, 16)).toString('hex');
  const proof = stretched.slice(32);
  const macKey = await crypto.subtle.importKey('raw', proof, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  const own = (await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])) as CryptoKeyPair;
  const bytes = Buffer.from(await crypto.subtle.exportKey('raw', own.publicKey)).toString('base64');
  const key = `${bytes}.${Buffer.from(name.slice(0, 60)).toString('base64')}`;
  const said = (who: Side, text: string) => encode(`${who} ${id} ${text}`);
  const other: Side = side === 'first' ? 'second' : 'first';
  return {
    /** Where both meet at the hub. */
    id,
    half: async (): Promise<PairingHalf> => ({
      key,
      mac: Buffer.from(await crypto.subtle.sign('HMAC', macKey, said(side, key))).toString('base64'),
    }),
    /** Throws when the other half was not made with this code. */
    async meet(theirs: PairingHalf) {
      const isTheirs = await crypto.subtle.verify('HMAC', macKey, Buffer.from(theirs.mac, 'base64'), said(other, theirs.key));
      if (!isTheirs) throw new Error('Somebody else answered with a wrong code. Start again with a new one.');
      const theirBytes = Buffer.from(theirs.key.split('.')[0] ?? '', 'base64');
      const theirKey = await crypto.subtle.importKey('raw', theirBytes, { name: 'ECDH', namedCurve: 'P-256' }, false, []);
      const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: theirKey }, own.privateKey, 256);
      const both = Buffer.concat([new Uint8Array(shared), new Uint8Array(proof)]);
      const secret = await crypto.subtle.importKey('raw', both, 'HKDF', false, ['deriveKey']);
      const info = encode([key, theirs.key].sort().join(' '));
      const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info };
      const sealKey = await crypto.subtle.deriveKey(hkdf, secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
      return {
        seal: (text: string) => sealWith(sealKey, encode(text), id),
        open: async (sealed: string) => new TextDecoder().decode(await openWith(sealKey, sealed, id)),
      };
    },
  };
}

export const nameIn = ({ key }: PairingHalf) =>
  Buffer.from(key.split('.')[1] ?? '', 'base64')
    .toString('utf8')
    .replace(/\p{C}/gu, '')
    .slice(0, 60) || 'another machine';

const encode = (text: string) => new TextEncoder().encode(text);
