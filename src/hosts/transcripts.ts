// The coding agents whose own records of sessions we can read.
import { claudeCodeTranscripts } from './claude-code/transcript-files.ts';
import { codexTranscripts } from './codex/transcripts.ts';
import { geminiTranscripts } from './gemini/transcripts.ts';
import type { TranscriptHost } from './transcript.ts';

export const TRANSCRIPT_HOSTS: TranscriptHost[] = [claudeCodeTranscripts, codexTranscripts, geminiTranscripts];
