// Who may call what stands under a path, by what the routes say of themselves.
import type { Access, RouteSpec } from '../route.ts';

type Said = Pick<RouteSpec, 'method' | 'path' | 'access'>;

/** The strictest of all routes that match. What no route says is not open either: it may still be served. */
export function createAccess(routes: readonly Said[]): (method: string, path: string) => Access {
  const compiled = routes.map(({ method, path, access = 'token' }) => ({ method, access, parts: path.split('/') }));
  return (method, path) => {
    // Hono answers HEAD with the route of GET.
    const wanted = method === 'HEAD' ? 'GET' : method;
    const parts = path.split('/');
    const found = compiled.filter((route) => route.method === wanted && isMatch(route.parts, parts));
    const allowed = found.map(({ access }) => access);
    if (allowed.includes('socket')) return 'socket';
    return allowed.length > 0 && allowed.every((access) => access === 'anyone') ? 'anyone' : 'token';
  };
}

function isMatch(pattern: string[], parts: string[]): boolean {
  if (pattern.at(-1) === '*' && parts.length >= pattern.length)
    return isMatch(pattern.slice(0, -1), parts.slice(0, pattern.length - 1));
  return (
    pattern.length === parts.length &&
    pattern.every((part, at) => part.startsWith(':') || part === '*' || part === parts[at])
  );
}
