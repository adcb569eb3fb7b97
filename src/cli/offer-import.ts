// What `install` offers once: the sessions of the past, read from the transcripts that coding agents have kept.
import { homeDir } from '../paths.ts';
import { listPast } from '../worker/import/list-past.ts';
import { type Ask, isYes } from './install/ask-line.ts';
import { type PastFound, sayTranscripts } from './say-transcripts.ts';

export type Offer = {
  /** Claude Code's folder. */
  claudeFolder: string;
  /** Null: nobody can be asked. */
  ask: Ask | null;
  /** The answer is yes, without a question. */
  yes: boolean;
  /** Called when the person has answered: it is not offered again. */
  onAnswer: () => void;
  /** Runs to its end and shows how far it is, as `claude-mem import` does. */
  importPast: () => Promise<void>;
};

export async function offerImport({ claudeFolder, ask, yes, onAnswer, importPast }: Offer): Promise<void> {
  const found = await countPast(homeDir(), claudeFolder);
  if (Object.keys(found.sessions).length === 0) return;
  const said = `${sayTranscripts(found)}; reading them costs no tokens.`;
  if (!yes && ask === null) return console.log(`${said} To import them: claude-mem import`);
  if (yes) console.log(said);
  const answer = yes ? 'yes' : ((await ask?.(`${said} Import now? [Y/n] `)) ?? null);
  // Before it begins: whoever interrupts it knows of it.
  if (answer !== null) onAnswer();
  if (answer !== '' && !isYes(answer)) return console.log('Not now. `claude-mem import` does it at any time.');
  await importPast();
}

/** Who keeps Claude Code's elsewhere is offered those alone: the others may be another person's. */
export async function countPast(home: string, claudeFolder: string): Promise<PastFound> {
  const isUsual = claudeFolder === `${home}/.claude`;
  const found = await listPast(home, isUsual ? {} : { agent: 'claude-code', claudeDir: claudeFolder });
  const sessions: Record<string, number> = {};
  for (const { host } of found) sessions[host.name] = (sessions[host.name] ?? 0) + 1;
  return { sessions, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
}
