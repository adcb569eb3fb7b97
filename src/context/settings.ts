// The settings that decide what a session is told.
import type { Config } from '../config.ts';

export type ContextSettings = Pick<
  Config,
  'contextTokens' | 'contextSections' | 'contextTypes' | 'contextIndex' | 'contextFull' | 'contextSessions'
>;
