// What a program that fetches something needs to know of the person's environment: certificates, proxies and npm's settings.

type Environment = Record<string, string | undefined>;

/** Any case: curl and apt read them in small letters, others in capitals. */
const NAMES = [
  'path',
  'home',
  'userprofile',
  'xdg_config_home',
  'xdg_cache_home',
  'node_extra_ca_certs',
  'node_use_system_ca',
  'ssl_cert_file',
  'ssl_cert_dir',
  'curl_ca_bundle',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'ftp_proxy',
  'no_proxy',
];
/** Settings of npm itself. What npm tells the scripts that it runs (`npm_package_*`, `npm_lifecycle_*`) is of another package. */
const PREFIXES = ['npm_config_'];
/** Where npm puts things is for whoever starts it to say: these come from the `npm test` that runs us. */
const OF_OUR_OWN_RUN = ['npm_config_prefix', 'npm_config_local_prefix', 'npm_config_global_prefix'];

/** Enough for npm, apt or a browser to reach what the person's own would, and nothing else. */
export function outsideEnvironment(environment: Environment = process.env): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && isNeeded(name.toLowerCase())) chosen[name] = value;
  }
  return chosen;
}

function isNeeded(name: string): boolean {
  if (OF_OUR_OWN_RUN.includes(name)) return false;
  return NAMES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** A command as root with that environment, which sudo would otherwise drop. */
export function asRoot(command: string[], environment: Environment = process.env): string[] {
  if (process.getuid?.() === 0) return command;
  return ['sudo', '-n', `--preserve-env=${Object.keys(outsideEnvironment(environment)).join(',')}`, ...command];
}
