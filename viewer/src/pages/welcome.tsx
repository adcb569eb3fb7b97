// The page "How it works": what happens, what is kept and what never is, how to pause and to forget; and the first event as it arrives.
import { useAnswer } from '../use-answer.ts';
import type { PageProps } from './index.ts';
import { FirstRun } from './welcome/first-run.tsx';
import { Picture } from './welcome/picture.tsx';
import '../styles/welcome.css';

export function WelcomePage(_: PageProps) {
  return (
    <div class="page wide welcome">
      <header>
        <h1>How it works</h1>
      </header>
      <p class="lead">
        A coding agent forgets everything when a session ends. claude-mem remembers for it, on this machine, while you work as before.
      </p>
      <Picture />
      <h2>First steps</h2>
      <FirstRun />
      <Promises />
    </div>
  );
}

function Promises() {
  const { data } = useAnswer<{ dataDir: string }>('/api/status');
  return (
    <dl class="promises">
      <div>
        <dt>What is kept</dt>
        <dd>
          Your prompts, and observations and summaries of what was done, in <code>{data?.dataDir ?? '~/.claude-mem'}</code>. Raw payloads
          are removed after some days. Nothing is written into your repository, and nothing leaves this machine unless you set a model or
          log in to a hub.
        </dd>
      </div>
      <div>
        <dt>What never is</dt>
        <dd>
          What stands between <code>{'<private>'}</code> and <code>{'</private>'}</code>; keys, tokens and passwords, as far as they are
          recognised; the paths you exclude.
        </dd>
      </div>
      <div>
        <dt>How to pause</dt>
        <dd>
          In <a href="/view/settings">Settings</a>, or <code>claude-mem pause 1h</code>. One session alone:{' '}
          <code>CLAUDE_MEM_INCOGNITO=1 claude</code>
        </dd>
      </div>
      <div>
        <dt>How to forget</dt>
        <dd>
          Open a memory and choose Forget, or <code>claude-mem forget ID</code>. Its bytes are removed for good, with a report.
        </dd>
      </div>
      <div>
        <dt>How to see what sessions get</dt>
        <dd>
          <a href="/view/preview">Next session</a> shows the context that the next session starts with, and why.
        </dd>
      </div>
      <div>
        <dt>How to import the past</dt>
        <dd>
          <code>claude-mem import</code> reads the sessions that are on your disk already. It costs nothing.
        </dd>
      </div>
    </dl>
  );
}
