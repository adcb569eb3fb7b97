// Whether the person's own Claude login may write deeper memories: asked once, and nothing changes by itself.
import { loadConfig } from '../../config.ts';
import { tellPrices } from '../../core/models.ts';
import type { Paths } from '../../paths.ts';
import { keepSetting } from '../commands/config.ts';
import { describeError } from '../describe-error.ts';
import { type Ask, isNo, isYes } from './ask-line.ts';

/** True when it was asked. Whoever has chosen already is not. */
export async function askLogin(paths: Paths, ask: Ask): Promise<boolean> {
  const { config, broken } = loadConfig(paths.config);
  if (broken || config.provider !== 'auto' || config.claudeLogin !== 'ask') return false;
  const most = config['budget.dailyTokens'].toLocaleString('en');
  const answer = await ask(
    `Memories are made by rules, for nothing. May your own Claude login write deeper ones, with at most ${most} tokens a day (${tellPrices()})? [y/n, Enter: later] `,
  );
  if (isYes(answer)) await choose('allow');
  else if (isNo(answer)) await choose('deny');
  else console.log('Nothing changed. `claude-mem config set claudeLogin allow` does it at any time.');
  return true;
}

async function choose(value: 'allow' | 'deny'): Promise<void> {
  try {
    await keepSetting('claudeLogin', value);
  } catch (error) {
    // What is missing is said; the rest of `install` does not depend on it.
    console.error(describeError(error));
  }
}
