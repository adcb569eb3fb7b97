// Whether a memory is of a session that somebody had with an agent, or of the git log.

/** Commits and what was noted by hand are kept in sessions that nobody had. */
export const isOfAgent = (session: string) => session !== '' && !/^(git|claude-mem|remembered):/.test(session);

export const isOfGit = (session: string) => session.startsWith('git:');
