// The guard of the web door: any page in a browser can try this port, so every request is judged before it is routed.

import type { Access } from '../route.ts';
import { judgeBody, maxBodyBytes } from './guard-body.ts';
import { type Head, readHeader } from './guard-head.ts';
import { isOwnHost, isOwnOrigin } from './guard-origin.ts';
import { readPath } from './guard-target.ts';
import { REFUSALS, type Refusal } from './refusal.ts';

export type GuardDeps = {
  port: number;
  /** Takes the same time whatever is wrong. */
  isToken: (said: string) => boolean;
  /** A file of the viewer: nothing in it is anybody's secret. */
  isStatic: (path: string) => boolean;
  accessOf: (method: string, path: string) => Access | Promise<Access>;
};

export type Verdict =
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'static'; path: string }
  | { kind: 'passed'; path: string; isTrusted: boolean; maxBytes: number };

export type Guard = (head: Head) => Promise<Verdict>;

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];

/** Where it comes from, then what it asks for, then who asks, then what it brings. */
export function createGuard(deps: GuardDeps): Guard {
  return async (head) => {
    const { port, isStatic } = deps;
    if (!isOwnHost(head, port)) return refused(REFUSALS.host);
    if (!isOwnOrigin(head, port)) return refused(REFUSALS.origin);
    if (!METHODS.includes(head.method)) return refused(REFUSALS.method);
    const path = readPath(head.target);
    if (path === null) return refused(REFUSALS.target);
    if (isRead(head) && isStatic(path)) return judgeStatic(head, path);
    return judgeCall(head, path, deps);
  };
}

const isRead = ({ method }: Head) => method === 'GET' || method === 'HEAD';

function judgeStatic(head: Head, path: string): Verdict {
  const refusal = judgeBody(head, 0);
  return refusal ? refused(refusal) : { kind: 'static', path };
}

async function judgeCall(head: Head, path: string, { accessOf, isToken }: GuardDeps): Promise<Verdict> {
  const access = await accessOf(head.method, path);
  if (access === 'socket') return refused(REFUSALS.route);
  const isTrusted = isToken(readToken(head));
  if (!isTrusted && access !== 'anyone') return refused(REFUSALS.token);
  const maxBytes = maxBodyBytes(path, isTrusted);
  const refusal = judgeBody(head, maxBytes);
  return refusal ? refused(refusal) : { kind: 'passed', path, isTrusted, maxBytes };
}

/** `Bearer …` once, else nothing. */
function readToken(head: Head): string {
  const [said, ...more] = readHeader(head, 'authorization');
  return more.length === 0 ? (/^Bearer ([0-9a-f]{64})$/.exec(said ?? '')?.[1] ?? '') : '';
}

const refused = (refusal: Refusal): Verdict => ({ kind: 'refused', refusal });
