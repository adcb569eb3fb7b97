// The folder that a Gemini CLI chat was about: its file holds only a hash of it, and sometimes the folder in the text.
import { dirname } from 'node:path';
import { asList, asRecord, type Fields, text } from '../fields.ts';

const TOLD = [
  /^- \*\*Workspace Directories:\*\*\n\s+- (\/.{1,4000}|[A-Za-z]:\\.{1,4000})$/m,
  /working in the (?:following )?director(?:y|ies):\s+(?:- )?(\/.{1,4000}|[A-Za-z]:\\.{1,4000})$/m,
];

/** What the agent was told about its surroundings. */
export function findToldCwd(words: string): string | null {
  for (const pattern of TOLD) {
    const [, cwd] = pattern.exec(words) ?? [];
    if (cwd) return cwd;
  }
  return null;
}

/** A folder above a file that a tool was given, if it has the hash of the project. */
export function findHashedCwd(args: Fields, projectHash: string): string | null {
  if (projectHash === '') return null;
  for (const name of FILES) {
    for (let folder = text(args[name]); folder.startsWith('/') && folder.length < LONGEST; folder = dirname(folder)) {
      if (hash(folder) === projectHash) return folder;
      if (folder === '/') break;
    }
  }
  return null;
}

const FILES = ['file_path', 'absolute_path', 'dir_path', 'path', 'directory'];
const LONGEST = 1000;

const hash = (folder: string) => new Bun.CryptoHasher('sha256').update(folder).digest('hex');

/** The folders that the chat itself names. */
export const listedCwd = (metadata: Fields): string | null =>
  asList(metadata.directories).map(text).find(Boolean) ?? null;

/** Of all tools of a message. */
export const argsOf = (message: Fields): Fields[] =>
  asList(message.toolCalls).map((call) => asRecord(asRecord(call).args));

/** Where nothing else is known: one folder for all chats of a project, whichever it was. */
export const projectFolder = (path: string): string => path.replace(/[/\\](?:chats[/\\].*|[^/\\]*)$/, '');
