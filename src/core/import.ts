// What an import would read: the answer of `GET /api/import`.

export type ImportSource = 'transcripts' | 'export' | 'claude-mem.db';

export type ImportAnswer = {
  source: ImportSource;
  /** Null where it is read from the places the agents keep them in. */
  path: string | null;
  /** Of transcripts: how many sessions, by agent; of a file: none. */
  sessions: Record<string, number>;
  bytes: number;
  /** When the first and the last of them went on last, epoch ms; null when there is none. */
  from: number | null;
  to: number | null;
};

/** These choose among transcripts; an export and a database are taken as a whole. */
export const CHOOSING = ['agent', 'project', 'since', 'deepen'] as const satisfies (keyof ImportParameters)[];

/** The parameters of a job of kind `import`, and of `GET /api/import`. */
export type ImportParameters = {
  path?: string;
  agent?: string;
  project?: string;
  /** Epoch ms. */
  since?: number;
  /** Claude Code's folder, where it is not the usual one. */
  claudeDir?: string;
  deepen?: number;
  /** A person says that the memories in the file are their own: they come back as they were. */
  asMine?: boolean;
};
