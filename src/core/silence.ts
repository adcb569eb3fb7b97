// When nothing is kept and nothing is told: the contract of pause, incognito and a project that is off.

export type SilenceScope = 'everything' | 'project' | 'session';

/** One silence that holds now. */
export type Silence = {
  scope: SilenceScope;
  /** The project's name or the session's id; '' for everything. */
  name: string;
  since: number;
  /** Null: until `claude-mem resume`. */
  until: number | null;
};

/** `POST /api/silence` with `{"minutes"?, "session"? | "cwd"? | "project"?}` begins one, `DELETE` ends those that fit, `GET` lists. */
export type SilenceAnswer = { silences: Silence[] };
