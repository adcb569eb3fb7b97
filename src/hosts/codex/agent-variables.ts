// What Codex sets in the environment of its shell.
export const CODEX_VARIABLES = ['CODEX_THREAD_ID', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_CI'];
