// What a project is known by.

export type ProjectIdentity = {
  /** The normalised remote, else the canonical root: worktrees and clones of one repository share it. */
  key: string;
  /** The folder's name, for people. Two projects may have the same. */
  name: string;
  root: string;
  /** Where the repository itself lies, if this is another work tree of it. */
  mainRoot?: string;
  remote: string | null;
};

/** ssh, https and scp-like addresses of one repository become the same text: host/path, lower case, no .git, no user. */
export function normaliseRemote(url: string): string | null {
  const trimmed = url.trim();
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)([^\s]+)$/.exec(trimmed);
  const web = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/\s]*@)?([^:/\s]+)(?::\d+)?\/([^\s]+)$/i.exec(trimmed);
  const [, host, path] = web ?? scp ?? [];
  if (!host || !path) return null;
  const clean = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '');
  return clean ? `${host}/${clean}`.toLowerCase() : null;
}
