// The version of this build.

declare const CLAUDE_MEM_VERSION: string | undefined;

/** Stamped in by the build; a run from the source tree has none. */
export const VERSION = typeof CLAUDE_MEM_VERSION === 'string' ? CLAUDE_MEM_VERSION : '0.0.0-source';
