// Which model is asked, and how: from the settings, and from nothing that a repository can set.
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { type Config, PROVIDER_URLS } from '../../config.ts';
import { hashParts } from '../../core/ids.ts';
import { apiName, type BoundKey } from '../../core/models.ts';
import { claudeEnvironment, findLoginFile } from '../../environment.ts';
import type { Paths } from '../../paths.ts';
import type { ModelAccess } from '../turn.ts';
import { type AskModel, OBSERVER_VARIABLE } from './contract.ts';

/** `why` tells a person how it was chosen and what is missing. */
export type Choice = { access: ModelAccess | null; why: string };

export function chooseModel(config: Config, paths: Paths): Choice {
  switch (config.provider) {
    case 'local':
      return { access: null, why: 'local, as set' };
    case 'claude':
      return chooseClaude(config, paths, 'as set');
    case 'auto':
      if (config.claudeLogin === 'allow') return chooseClaude(config, paths, 'auto: your Claude login, as you agreed');
      if (config.claudeLogin === 'deny') return { access: null, why: 'auto: local, as you decided' };
      return { access: null, why: 'auto: local; to use your Claude login: `claude-mem config set claudeLogin allow`' };
    case 'anthropic':
      return chooseKeyed(config, PROVIDER_URLS.anthropic, async () => (await import('./anthropic.ts')).createAnthropic);
    case 'openai':
      return chooseKeyed(config, PROVIDER_URLS.openai, async () => (await import('./openai.ts')).createOpenAi);
  }
}

function chooseClaude(config: Config, paths: Paths, why: string): Choice {
  const { claudePath: path, model } = config;
  if (!path) return none('`claude` was not found; say `claude-mem config set claudePath /path/to/claude`');
  try {
    mkdirSync(paths.observerDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    return none(`there is no folder for \`claude\` to run in: ${error instanceof Error ? error.message : error}`);
  }
  const options = { path, model, cwd: paths.observerDir, environment: claudeEnvironment(path) };
  const ask = askLater(async () => (await import('./claude.ts')).createClaude(options));
  return { access: describe('claude', model, [path, ...Object.entries(options.environment).flat()], ask), why };
}

/** Changes when somebody logs in with their `claude`. */
export const stampLogin = ({ claudePath }: Config): number => statSync(findLoginFile(claudePath), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const none = (why: string): Choice => ({ access: null, why: `local: ${why}` });

type Keyed = (options: { model: string; baseUrl: string; key: BoundKey | null }) => AskModel;

function chooseKeyed(config: Config, fallbackUrl: string, load: () => Promise<Keyed>): Choice {
  const { apiKey: key, model, provider } = config;
  const baseUrl = config.baseUrl || fallbackUrl;
  const name = provider === 'anthropic' ? apiName(model) : model;
  const ask = askLater(async () => (await load())({ model: name, baseUrl, key }));
  return { access: describe(provider, model, [baseUrl, key?.value ?? null, key?.host ?? null], ask), why: 'as set' };
}

/** A provider is loaded with the first question: a starting worker has hooks to answer. */
function askLater(create: () => Promise<AskModel>): AskModel {
  let ask: Promise<AskModel> | null = null;
  return async (question) => {
    ask ??= create();
    return (await ask)(question);
  };
}

const describe = (provider: string, model: string, parts: (string | null)[], ask: AskModel): ModelAccess => ({
  id: hashParts([provider, model, ...parts]),
  provider,
  model,
  ask,
});

/**
 * Ends a child that a killed worker left behind: the very one, never another process that got its number. True when it was killed.
 * Only Linux lets us read whose it is; elsewhere it is left to end by itself.
 */
export function endLeftover({ pid, mark }: { pid: number; mark: string }): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${OBSERVER_VARIABLE}=${mark}`)) return false;
    // Its whole group: claude.ts gave it one of its own.
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    // Gone, another user's, or no Linux: nothing of ours to end.
    return false;
  }
}
