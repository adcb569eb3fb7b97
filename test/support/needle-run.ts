// The long session of bench/observer/needle-session.ts through hooks, a real worker and a provider, before a model that counts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeNeedleSession } from '../../bench/observer/needle-session.ts';
import { claudeBinary } from '../e2e/claude-binary.ts';
import { startCountingModel, textOf } from './counting-model.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { until } from './until.ts';

export const NEEDLE_PROVIDERS = ['claude', 'anthropic', 'openai'] as const;
export type NeedleProvider = (typeof NEEDLE_PROVIDERS)[number];

export type NeedleRun = {
  requests: number;
  /** Of whole request bodies: instructions, prompts, and whatever the provider adds. */
  inputChars: number;
  tools: number;
  needlesKept: number;
  lost: { needle: string; kind: string }[];
  prompts: number;
  promptsKept: number;
  events: number;
  eventsDone: number;
  observers: string[];
};

const DONE_MS = 120_000;

export async function runNeedles(provider: NeedleProvider, seed: number): Promise<NeedleRun> {
  const session = makeNeedleSession(seed);
  const sandbox = createSandbox();
  const model = startCountingModel();
  const { bodies } = model;
  try {
    await useProvider(sandbox, provider, model.url);
    // Only a person hands their login on to a worker.
    await sandbox.person('start');
    for (const { prompt, tools, stop } of session.turns) {
      await sandbox.hook('new', prompt);
      for (const { payload } of tools) await sandbox.hook('save', payload);
      await sandbox.hook('summary', stop);
    }
    const last = session.turns.at(-1)?.stop;
    await sandbox.hook('cleanup', { ...last, hook_event_name: 'SessionEnd', reason: 'other' });
    const turns = session.turns.length;
    await until(() => sandbox.query("SELECT 1 FROM batches WHERE status <> 'waiting'").length >= turns, DONE_MS);
    const seen = bodies.map(textOf).join('\n');
    const planted = session.turns.flatMap(({ tools }) => tools);
    const lost = planted.filter(({ needle }) => !seen.includes(needle));
    const statuses = sandbox.query<{ status: string }>("SELECT status FROM events WHERE kind <> 'end'");
    return {
      requests: bodies.length,
      inputChars: bodies.reduce((sum, body) => sum + body.length, 0),
      tools: planted.length,
      needlesKept: planted.length - lost.length,
      lost: lost.map(({ needle, kind }) => ({ needle, kind })),
      prompts: session.prompts.length,
      promptsKept: session.prompts.filter((prompt) => seen.includes(prompt)).length,
      events: statuses.length,
      eventsDone: statuses.filter(({ status }) => status === 'done').length,
      observers: sandbox.query<{ observer: string }>('SELECT observer FROM batches').map(({ observer }) => observer),
    };
  } finally {
    model.close();
    await sandbox.dispose();
  }
}

async function useProvider(sandbox: Sandbox, provider: NeedleProvider, url: string): Promise<void> {
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
  const key = { value: 'sk-fake', host: new URL(url).host };
  const settings = {
    claude: async () => ({ provider, claudePath: await claudeBinary() }),
    anthropic: async () => ({ provider, baseUrl: url, apiKey: key }),
    openai: async () => ({ provider, baseUrl: `${url}/v1`, apiKey: key }),
  };
  writeFileSync(sandbox.paths.config, JSON.stringify(await settings[provider]()));
  if (provider === 'claude') Object.assign(sandbox.env, { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-fake' });
}
