// The routes of the token: a one-time code becomes the token, a new link, a new token.
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { type Links, VIEWER_LINK_MS } from '../door/links.ts';
import type { Token } from '../door/token.ts';
import { type Api, addRoute } from '../route.ts';

export type TokenRoutesDeps = {
  token: Pick<Token, 'read' | 'rotate'>;
  links: Links;
  /** Of the web door, once it has opened; null when there is none. */
  address: () => Promise<string | null> | string | null;
};

export function addTokenRoutes(api: Api, { token, links, address }: TokenRoutesDeps): void {
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/token/exchange',
      about: 'Turns the code of a link, once, into the token.',
      access: 'anyone',
      body: { code: z.string().min(1).max(200).describe('What stands behind #t= in a link') },
      answers: { 200: z.object({ token: z.string() }) },
    },
    ({ body, c }) => (links.redeem(body.code) ? c.json({ token: token.read() }) : c.json(BAD_LINK, 401)),
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/token/link',
      about: 'A link that opens the viewer, once and soon.',
      access: 'socket',
      answers: { 200: z.object({ url: z.string(), expiresAt: z.string() }) },
    },
    async ({ c }) => c.json(makeLink(links, await address(), VIEWER_LINK_MS)),
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/token/rotate',
      about: 'A new token; the old one is dead at once, and so is what was opened with it.',
      access: 'socket',
      answers: { 200: z.object({ address: z.string().nullable() }) },
    },
    async ({ c }) => {
      token.rotate();
      return c.json({ address: await address() });
    },
  );
}

const BAD_LINK = {
  error: 'The link was used before or is too old.',
  hint: 'Run `claude-mem viewer` for a new one; if someone else used it, `claude-mem token rotate`.',
};

/** The code stands behind #: a browser sends that to nobody. */
export function makeLink(links: Links, address: string | null, ttlMs: number): { url: string; expiresAt: string } {
  if (address === null) {
    const hint =
      'It started with workerPort 0, or no port was free: `claude-mem status` says which. Set workerPort to one that is free, then run `claude-mem restart`.';
    throw new AskError('conflict', 'The worker has no web door.', hint);
  }
  const { code, expiresAt } = links.mint(ttlMs);
  return { url: `${address}/#t=${code}`, expiresAt: new Date(expiresAt).toISOString() };
}
