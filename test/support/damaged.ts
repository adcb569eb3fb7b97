// The contract of every reader of transcripts: whatever is damaged in a file, nothing breaks and nothing is made up.
import { expect } from 'bun:test';
import type { Agent } from '../../src/agents/agent.ts';
import { createRandom, mutateLine, wordsIn } from './mutate.ts';
import { readTranscript } from './transcript.ts';

const ROUNDS = process.env.CLAUDE_MEM_TEST_FULL ? 5000 : 500;
const DAMAGED = 10;

/** Words that our readers say by themselves. */
const OURS = new Set('Exit code result failed without message subagent It has no was not allowed The user said transcript'.split(' '));

/** `lines`: a whole session, as the agent writes it; a file of one document is one line. */
export function expectNothingInvented(agent: Agent, path: string, lines: string[]): void {
  const random = createRandom(7);
  for (let round = 0; round < ROUNDS; round++) {
    const damaged = [...lines];
    for (let count = 0; count < Math.min(DAMAGED, lines.length); count++) {
      const at = Math.floor(random() * lines.length);
      damaged[at] = mutateLine(lines[at] ?? '', random);
    }
    const body = damaged.join('\n');
    for (const { payload } of readTranscript(agent, { path, body }).records) {
      const { transcript_path: _, hook_event_name: __, cwd: ___, tool_name: ____, prompt_id: _____, told: ______, ...said } = payload;
      expect(wordsIn(said).filter((word) => !OURS.has(word) && !body.includes(word) && !path.includes(word))).toEqual([]);
      expect(payload.session_id).not.toBe('');
    }
  }
}
