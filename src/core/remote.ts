// The address of a repository, reduced to what all of its spellings share.

/** A path, its longest, and a host that fits into a certificate. */
const LONGEST = 2048;

/**
 * ssh, https and scp-like addresses of one repository become the same text: host/path, in small letters, without user, port and .git.
 * Null for a local path, and for whatever two programs could read in two ways: then the repository counts as one without a remote.
 */
export function normaliseRemote(said: string): string | null {
  const address = said.trim();
  if (address.length > LONGEST || ODD.test(address)) return null;
  const parts = splitAddress(address);
  const host = parts && normaliseHost(parts.host);
  if (!host) return null;
  const path = parts.path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '');
  if (path === '' || path.split('/').some((name) => DOTS.test(name))) return null;
  return `${host}/${path}`.toLowerCase();
}

/**
 * A backslash, a `?` or a `#` end the host for some programs and not for others; blanks and what cannot be seen hide the rest. None of
 * them is in an address that a forge gives out.
 */
const ODD = /[\s\\?#\p{C}]/u;
/** `.` and `..`, also as a server decodes them. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

type Parts = { host: string; path: string };

const WEB = /^(?:https?|ssh|git|ftps?|git\+ssh|ssh\+git|git\+https?):\/\/([^/]*)\/(.*)$/i;
/** `user@host:path`; what begins with a dash would be an option of the program that is given it. */
const SCP = /^(?:([^@/:[\]]+)@)?(\[[^\]/@]*\]|[^@/:[\]]+):(?!\/\/|:)(.+)$/;

function splitAddress(address: string): Parts | null {
  const web = WEB.exec(address);
  if (web) {
    const found = AUTHORITY.exec(web[1] ?? '');
    const isPort = found?.[2] === undefined || (Number(found[2]) > 0 && Number(found[2]) < 65_536);
    return found && isPort ? { host: found[1] ?? '', path: web[2] ?? '' } : null;
  }
  const scp = address.includes('://') ? null : SCP.exec(address);
  if (!scp || scp[1]?.startsWith('-')) return null;
  return { host: scp[2] ?? '', path: scp[3] ?? '' };
}

/** One user, one host, one port. */
const AUTHORITY = /^(?:(?!-)[^@[\]]*@)?(\[[^\]@]*\]|[^@:[\]]+)(?::(\d{1,5}))?$/;

/** A name or a number; the dot at the end of a whole name says nothing. */
function normaliseHost(host: string): string | null {
  if (host.startsWith('[')) return /^\[[0-9a-f:.]{2,45}\]$/i.test(host) ? host : null;
  const name = host.replace(/\.$/, '');
  return /^(?!-)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*$/u.test(name) ? name : null;
}
