// A worker's place in a test that kills it: asks `claude` a question, tells on stdout of the process, and waits.
import { createClaude } from '../../../src/model/providers/claude.ts';

const [path = '', cwd = '', home = '', apiUrl = ''] = process.argv.slice(2);
const environment = { PATH: '/usr/bin:/bin', HOME: home, ANTHROPIC_BASE_URL: apiUrl, ANTHROPIC_API_KEY: 'sk-fake' };
const ask = createClaude({ path, model: 'claude-haiku-4-5', cwd, environment });
await ask({
  instructions: 'Observe.',
  prompt: 'What?',
  maxOutputTokens: 100,
  deadlineMs: 60_000,
  onRun: (run) => 'pid' in run && console.log(JSON.stringify(run)),
});
