// What a person is told once about the model, at the start of a session: a question, an empty budget, a login that is refused.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import { refusalNotice, takeNotice } from '../../store/notices.ts';
import type { Pause } from '../../store/spending/model-pauses.ts';

export type NoticeDeps = {
  db: Database;
  config: Config;
  /** The access that is used, and why it pauses. */
  access: { id: string; pause: Pause | null } | null;
  exhausted: string | null;
  now: number;
};

/** The first line that was not told yet; '' when there is none. */
export function nextNotice(deps: NoticeDeps): string {
  const { db, now } = deps;
  for (const { name, text } of candidates(deps)) if (takeNotice(db, name, now)) return ` ${text}`;
  return '';
}

function candidates({ config, access, exhausted, now }: NoticeDeps): { name: string; text: string }[] {
  const notices = [];
  if (config.provider === 'auto' && config.claudeLogin === 'ask') {
    notices.push({ name: 'ask-claude-login', text: question(config) });
  }
  if (access?.pause?.kind === 'auth') {
    const text = `The model refuses: ${sentence(access.pause.message)} Memories are made by rules until it is changed; see \`claude-mem status\`.`;
    notices.push({ name: refusalNotice(access.id), text });
  }
  if (access && exhausted) {
    const day = new Date(now).toLocaleDateString('sv');
    notices.push({
      name: `budget:${day}`,
      text: `The model was not asked: ${exhausted}. Such turns are remembered by rules; see \`claude-mem stats\`.`,
    });
  }
  return notices;
}

function question(config: Config): string {
  const most = config['budget.dailyTokens'].toLocaleString('en');
  return `It may also use your Claude login to write deeper memories, at most ${most} tokens of ${config.model} a day. To allow it: \`claude-mem config set claudeLogin allow\`; never to be asked: \`claude-mem config set claudeLogin deny\`.`;
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
