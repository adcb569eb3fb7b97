// What a person can do about a file that still holds a piece of an erased text.

/** Each file, below the data dir, with its remedy. */
export const adviseRemains = (files: readonly string[]): string[] =>
  files.map((file) => `${file}: ${findRemedy(file)}`);

function findRemedy(file: string): string {
  if (file.startsWith('logs/')) return 'logs go after a week; you can delete this one now.';
  if (file.startsWith('spool/')) return 'it goes when the worker has read it: claude-mem restart.';
  return 'claude-mem vacuum writes it anew.';
}
