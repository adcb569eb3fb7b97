// The settings by what they are about, and what each is called on the page.
import type { Setting } from './answer.ts';

export type Group = { title: string; lead: string; names: Record<string, string> };

export const GROUPS: Group[] = [
  {
    title: 'Session context',
    lead: 'What sessions get of the past, when they start and in the middle of their work.',
    names: {
      contextTokens: 'Tokens at the start',
      contextSections: 'Sections at the start',
      contextTypes: 'Types of observations',
      contextIndex: 'Memories in the index',
      contextFull: 'Memories in full',
      contextSessions: 'Recent sessions',
      promptRecall: 'Memories with a prompt',
      fileContext: 'Notes before an edit',
      errorRecall: 'Notes on a known error',
    },
  },
  {
    title: 'What is kept',
    lead: 'What becomes a memory, and how long it stays.',
    names: {
      off: 'Everything off',
      skipTools: 'Tools without observations',
      excludePaths: 'Excluded paths',
      subprojects: 'Folders that are projects',
      gitCommits: 'Commits',
      retentionDays: 'Days of raw payloads',
      keepDays: 'Days of memories',
      keepRecords: 'Days of records',
      keepMegabytes: 'Megabytes of memories',
    },
  },
  {
    title: 'Model and budget',
    lead: 'Which model summarises, and what that may cost.',
    names: {
      provider: 'Provider',
      model: 'Model',
      claudeLogin: 'Your Claude login',
      claudePath: 'Your claude',
      baseUrl: 'Address',
      apiKey: 'Key',
      'budget.dailyTokens': 'Tokens a day',
      'budget.dailyCalls': 'Calls a day',
      'budget.sessionTokens': 'Tokens a session',
      'budget.sessionCalls': 'Calls a session',
      verbosity: 'How much is recorded',
      language: 'Language',
      mode: 'Mode',
      quietSeconds: 'Seconds of quiet before it is asked',
      answerSeconds: 'Seconds for an answer',
      retrySeconds: 'Seconds after a failure',
    },
  },
  {
    title: 'Search',
    lead: 'How memories are found by meaning.',
    names: { embedder: 'Embeddings', embedderUrl: 'Address for embeddings', embedderModel: 'Model for embeddings' },
  },
  {
    title: 'Sharing',
    lead: 'Which memories other machines and agents get.',
    names: { sync: 'Your other machines', syncTurns: 'Records for your other machines', agentAllProjects: 'Agents read every project' },
  },
  {
    title: 'Worker',
    lead: 'The background process.',
    names: {
      logLevel: 'Log level',
      idleMinutes: 'Minutes until it ends',
      workerPort: 'Port',
      deleteTimeoutMs: 'Wait at the end of a session',
    },
  },
];

/** What people change: first, and without a search. */
export const FIRST = [
  'contextTokens',
  'promptRecall',
  'fileContext',
  'errorRecall',
  'contextSections',
  'claudeLogin',
  'budget.dailyTokens',
  'retentionDays',
] as const;

export const nameSetting = (name: string) => GROUPS.find(({ names }) => name in names)?.names[name] ?? name;

const known = new Set(GROUPS.flatMap(({ names }) => Object.keys(names)));

/** Those of a group in which all words stand. */
export function findSettings(group: Group, settings: Setting[], words: string): Setting[] {
  const asked = words.toLowerCase().split(/\s+/);
  return listGroup(group, settings).filter(({ name, about }) => {
    const text = `${group.title} ${group.names[name] ?? ''} ${name} ${about}`.toLowerCase();
    return asked.every((word) => text.includes(word));
  });
}

/** In our order. A setting that is newer than this list is one of the worker's, at the end. */
function listGroup({ title, names }: Group, settings: Setting[]): Setting[] {
  const rest = title === 'Worker' ? settings.filter(({ name }) => !known.has(name)) : [];
  return [...Object.keys(names).flatMap((name) => settings.find((setting) => setting.name === name) ?? []), ...rest];
}
