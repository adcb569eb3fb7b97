// Where Gemini CLI keeps its chats: a folder for each project, in it a file for each chat.
import type { TranscriptFile, TranscriptHost } from '../transcript.ts';
import { createChatReader } from './chat-reader.ts';
import { createLogReader } from './log-reader.ts';

const FOLDER = '.gemini/tmp';

export const geminiTranscripts: TranscriptHost = {
  name: 'gemini',
  // Chats come before the log: of what both tell, the chat tells more.
  folders: [
    { folder: FOLDER, pattern: '*/chats/session-*.json' },
    { folder: FOLDER, pattern: '*/chats/session-*.jsonl' },
    { folder: FOLDER, pattern: '*/chats/*/*.jsonl' },
    { folder: FOLDER, pattern: '*/logs.json' },
  ],
  describeFile,
  createReader: (file) => (LOG.test(file.path) ? createLogReader(file) : createChatReader(file)),
};

const LOG = /[/\\]logs\.json$/;
const CHAT = /[/\\]chats[/\\]session-[^/\\]+\.jsonl?$/;
/** An agent's chat lies in a folder that has the name of its session. */
const AGENT = /[/\\]chats[/\\]([^/\\]+)[/\\]([^/\\]+)\.jsonl$/;

function describeFile(path: string): TranscriptFile | null {
  if (LOG.test(path) || CHAT.test(path)) return { path, session: null, agent: null };
  const [, session, id] = AGENT.exec(path) ?? [];
  return session && id ? { path, session, agent: { id, type: 'subagent' } } : null;
}
