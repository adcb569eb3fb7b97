// What each setting does, in a line, and why some of them are not changed over HTTP. docs/settings.md has the whole story.
import type { SafeSettingName, SettingName } from '../../../settings.ts';

/** At most 90 characters each. */
export const SETTING_NOTES: Record<SettingName, string> = {
  logLevel: 'How much the worker writes into its log.',
  workerPort: 'The port of the viewer and of other programs on this machine.',
  deleteTimeoutMs: 'How long the end of a session by DELETE waits for what is under way, in milliseconds.',
  idleMinutes: 'The worker ends after so many minutes with nothing to do.',
  contextTokens: 'What a starting session may be told, in tokens.',
  contextSections: 'What a starting session is told of.',
  contextTypes: 'Which types of observations a starting session is told.',
  contextIndex: 'How many memories the index may list.',
  contextFull: 'How many memories are told in full.',
  contextSessions: 'How many recent sessions are listed.',
  promptRecall: 'With which prompts the memories that matter for them are told.',
  fileContext: 'Whether a session hears what is known of a file before it edits it.',
  errorRecall: 'Whether a session hears of the fix when an error was seen before.',
  gitCommits: 'How many commits of a repository become memories when its log is first read.',
  retentionDays: 'How many days raw payloads stay after they were distilled.',
  keepDays: 'After how many days memories are let go, oldest first; 0: never.',
  keepMegabytes: 'How much the database may hold before the oldest memories are let go; 0: no limit.',
  skipTools: 'Tools that make no observation.',
  excludePaths: 'Files and folders of which nothing is kept, as patterns.',
  subprojects: 'Folders of a repository that are projects of their own, as patterns.',
  off: 'Nothing is kept and nothing told.',
  provider: 'Who writes deeper memories.',
  model: 'Which model the provider is asked for.',
  claudeLogin: 'Whether the observer may use your Claude login.',
  claudePath: 'Where your claude is.',
  baseUrl: 'Another address of the provider.',
  apiKey: 'The key of the provider, kept for one host and sent nowhere else.',
  'budget.dailyTokens': 'What the model may cost in a day, in tokens.',
  'budget.dailyCalls': 'How often the model may be asked in a day.',
  'budget.sessionTokens': 'What the model may cost for one session, in tokens.',
  'budget.sessionCalls': 'How often the model may be asked for one session.',
  retrySeconds: 'The first wait after a failure of the model; later ones are longer.',
  answerSeconds: 'How long the model may take for an answer.',
  verbosity: 'How much the model records.',
  mode: 'What the model looks for: a mode of ours, or a file of yours.',
  language: 'The language the model writes in; without one that of the session.',
  embedder: 'How search knows what a memory means.',
  embedderUrl: 'Where the embedder is, when it is a server.',
  embedderModel: 'Which model that server is asked for.',
};

const WHERE_TEXT_GOES = 'It decides where your text is sent.';
const ADDRESS = 'It is an address that your text is sent to.';
const PRIVACY = 'It decides what is kept of which folder.';
const DELETES = 'It lets go of memories for good.';

/** The others, each with its reason. */
export const UNSAFE_SETTINGS: Record<Exclude<SettingName, SafeSettingName>, string> = {
  workerPort: 'Whoever uses the port would lose it.',
  keepDays: DELETES,
  keepMegabytes: DELETES,
  excludePaths: PRIVACY,
  subprojects: PRIVACY,
  provider: WHERE_TEXT_GOES,
  model: WHERE_TEXT_GOES,
  claudeLogin: WHERE_TEXT_GOES,
  claudePath: 'It names a program that is run.',
  baseUrl: ADDRESS,
  apiKey: 'It is a key.',
  mode: 'It names a file that is read.',
  embedder: WHERE_TEXT_GOES,
  embedderUrl: ADDRESS,
  embedderModel: WHERE_TEXT_GOES,
};
