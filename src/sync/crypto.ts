// Personal spaces are sealed on the machine: the hub gets ciphertext, sizes and times. One seed, on the user's machines alone, gives the
// key of the payloads and the key that turns ids into ones that say nothing. WebCrypto alone.
import type { SyncRecord } from '../core/shapes/sync.ts';

const SEED_BYTES = 16;
/** Sizes are rounded up: how long a sentence is tells less. */
const PAD = 256;

export type Sealer = Awaited<ReturnType<typeof createSealer>>;

/** What the hub could exchange: nothing of it without its being noticed. */
export const bindingOf = (space: string, { id, entity, clock, state }: Pick<SyncRecord, 'id' | 'entity' | 'clock' | 'state'>) =>
  [space, id, entity, clock, state].join(' ');

export const makeSeed = (): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(SEED_BYTES));

type Derived = Parameters<typeof crypto.subtle.deriveKey>[2];

export async function createSealer(seed: Uint8Array<ArrayBuffer>) {
  const base = await crypto.subtle.importKey('raw', seed, 'HKDF', false, ['deriveKey']);
  const derive = (info: string, kind: Derived, uses: Parameters<typeof crypto.subtle.deriveKey>[4]) =>
    crypto.subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encode(info) }, base, kind, false, uses);
  const key = await derive('claude-mem payload', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']);
  const idKey = await derive('claude-mem id', { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign']);
  return {
    nameOf: async (entity: string) => new Uint8Array(await crypto.subtle.sign('HMAC', idKey, encode(entity))).toHex().slice(0, 40),
    /** `bound`: what stands beside it at the hub and must not be exchanged. */
    seal: (text: string, bound: string) => sealWith(key, padded(text), bound),
    /** Throws when it was sealed with another key, or bound to something else. */
    open: async (sealed: string, bound: string) => decode(await openWith(key, sealed, bound)).trimEnd(),
  };
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: ArrayBuffer) => new TextDecoder().decode(bytes);

/** With blanks: the text is JSON. */
function padded(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encode(text);
  const all = new Uint8Array(Math.ceil((bytes.length + 1) / PAD) * PAD).fill(32);
  all.set(bytes);
  return all;
}

export async function sealWith(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>, bound: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: encode(bound) }, key, bytes);
  return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64');
}

export async function openWith(key: CryptoKey, sealed: string, bound: string): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.from(sealed, 'base64'));
  return crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes.slice(0, 12), additionalData: encode(bound) }, key, bytes.slice(12));
}

const CONSONANTS = 'bdfghjklmnprstvz';
const VOWELS = 'aiou';

/** The seed as nine words that can be said and written down: two bytes each, the ninth checks the others. */
export function writePhrase(seed: Uint8Array<ArrayBuffer>): string {
  const all = [...seed, ...checkBytes(seed)];
  const words = Array.from({ length: all.length / 2 }, (_, at) => writeWord(((all[2 * at] ?? 0) << 8) | (all[2 * at + 1] ?? 0)));
  return words.join(' ');
}

/** Sixteen bits: consonant, vowel, consonant, vowel, consonant. */
const writeWord = (bits: number) =>
  [CONSONANTS[bits >> 12], VOWELS[(bits >> 10) & 3], CONSONANTS[(bits >> 6) & 15], VOWELS[(bits >> 4) & 3], CONSONANTS[bits & 15]].join('');

/** Null when a word is misspelt or missing. */
export function readPhrase(text: string): Uint8Array<ArrayBuffer> | null {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const bytes = words.flatMap((word) => {
    const at = [...word].map((letter, i) => (i % 2 === 0 ? CONSONANTS : VOWELS).indexOf(letter));
    if (word.length !== 5 || at.includes(-1)) return [-1];
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = at;
    const bits = (a << 12) | (b << 10) | (c << 6) | (d << 4) | e;
    return [bits >> 8, bits & 255];
  });
  const seed = Uint8Array.from(bytes.slice(0, SEED_BYTES));
  const isRight = !bytes.includes(-1) && bytes.length === SEED_BYTES + 2 && writePhrase(seed) === words.join(' ');
  return isRight ? seed : null;
}

const checkBytes = (seed: Uint8Array<ArrayBuffer>) =>
  new Bun.CryptoHasher('sha256').update('claude-mem phrase').update(seed).digest().subarray(0, 2);
