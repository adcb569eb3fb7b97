// `claude-mem demo`: what the memory does, shown on a recorded week of work, within seconds and without a trace.
import { command } from '../command.ts';

export const demoCommand = command({
  name: 'demo',
  json: false,
  about: 'Show what it does, on a recorded week of work; touches nothing of yours',
  options: {
    '--keep': 'Leave the memory and the repository of the demo',
    '--viewer': 'Open them in the viewer, until Ctrl-C',
    '--team': 'Two people and three machines instead, with a hub between them',
    '--postgres <url>': 'The same on this PostgreSQL',
  },
  help: 'Needs git, and neither Claude Code nor a model nor the network. It works in a temporary folder, which it removes.',
  examples: ['claude-mem demo', 'claude-mem demo --viewer', 'claude-mem demo --team'],
  who: 'anyone',
  async run(options) {
    // In a bundle of its own: the other commands do not carry the week.
    const { runDemo } = await import('../demo/demo.ts');
    process.exitCode = await runDemo(options);
  },
});
