// What is sent along: JSON by its own word, which no form of a web page can say, and not too much of it.
import { type Head, readHeader } from './guard-head.ts';
import { REFUSALS, type Refusal } from './refusal.ts';

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const ALWAYS_JSON = ['POST', 'PATCH', 'PUT'];

const MEGABYTE = 1024 * 1024;
/** A one-time code and no more: whoever sends it has shown nothing yet. */
const UNKNOWN_CALLER_BYTES = 4096;
/** What tools put out is long; a hook cuts it to about a megabyte. */
const SESSION_BYTES = 2 * MEGABYTE;

export function judgeBody(head: Head, maxBytes: number): Refusal | null {
  const length = Number(readHeader(head, 'content-length')[0] ?? 0);
  const hasBody = length > 0 || readHeader(head, 'transfer-encoding').length > 0;
  const mayHaveBody = head.method === 'DELETE' || ALWAYS_JSON.includes(head.method);
  if (!mayHaveBody) return hasBody ? REFUSALS.body : null;
  if ((hasBody || head.method !== 'DELETE') && !isJson(head)) return REFUSALS.type;
  return length > maxBytes ? REFUSALS.size : null;
}

function isJson(head: Head): boolean {
  const [type, ...more] = readHeader(head, 'content-type');
  return more.length === 0 && JSON_TYPE.test(type ?? '') && readHeader(head, 'content-encoding').length === 0;
}

export function maxBodyBytes(path: string, isTrusted: boolean): number {
  if (!isTrusted) return UNKNOWN_CALLER_BYTES;
  return /^(\/api)?\/sessions\//.test(path) ? SESSION_BYTES : MEGABYTE;
}
