// Where Codex keeps its transcripts.
import type { TranscriptFile, TranscriptHost } from '../transcript.ts';
import { createRolloutReader } from './rollout-reader.ts';

const PATTERN = '**/rollout-*.jsonl';

export const codexTranscripts: TranscriptHost = {
  name: 'codex',
  folders: [
    { folder: '.codex/sessions', pattern: PATTERN },
    { folder: '.codex/archived_sessions', pattern: PATTERN },
  ],
  describeFile,
  createReader: createRolloutReader,
};

const NAME = /[/\\]rollout-(?:[\dT-]{19}-)?([^/\\]+)\.jsonl$/;

function describeFile(path: string): TranscriptFile | null {
  const session = NAME.exec(path)?.[1];
  return session ? { path, session, agent: null } : null;
}
