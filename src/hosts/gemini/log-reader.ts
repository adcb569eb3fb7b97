// `logs.json` of Gemini CLI: all prompts of a project. Where a chat was not recorded, or is gone, they are what is left of it.
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readJson } from '../json.ts';
import { createPromptIds } from '../prompt-ids.ts';
import { onlySpoken } from '../spoken.ts';
import type { TranscriptFile, TranscriptReader, TranscriptRecord } from '../transcript.ts';
import { COMMAND, readTime } from './chat-reader.ts';
import { projectFolder } from './find-cwd.ts';

export function createLogReader(file: TranscriptFile): TranscriptReader {
  const ids = createPromptIds();

  const readEntry = (entry: Fields): TranscriptRecord[] => {
    const session = text(entry.sessionId);
    const prompt = onlySpoken(text(entry.message));
    const at = readTime(entry.timestamp) ?? 0;
    if (session === '' || entry.type !== 'user' || prompt === '' || COMMAND.test(prompt)) return [];
    const payload = {
      session_id: session,
      cwd: projectFolder(file.path),
      hook_event_name: 'BeforeAgent',
      timestamp: at,
      // The same as in the recorded chat, if there is one.
      prompt_id: ids.next(session, prompt),
      prompt,
    };
    return [{ command: 'new', at, payload }];
  };

  return {
    read: (document) => asList(readJson(document)).map(asRecord).flatMap(readEntry),
    finish: () => [],
    resumeAt: () => 0,
  };
}
