// What `install` asks a person at a terminal, each once: another claude-mem's memories, past sessions, and a model.
import { existsSync } from 'node:fs';
import { askWorker } from '../../client/api.ts';
import { loadConfig } from '../../config.ts';
import { DAY_TURNS, isLoopback, priceOfDay, TURN_TOKENS } from '../../core/models.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { SessionPage } from '../../core/shapes/memory.ts';
import type { SessionsAnswer } from '../../core/shapes/project.ts';
import { sayCount } from '../../core/text.ts';
import { ollamaHost } from '../../environment.ts';
import { listPast } from '../../import/import.ts';
import { homeDir, type Paths } from '../../paths.ts';
import { askLine, askPerson, isNo, isPerson, isYes } from '../ask.ts';
import type { Outcome } from '../command.ts';
import { keepSetting } from '../commands/config.ts';
import { nameSource, sayTranscripts } from '../commands/import.ts';
import { describeError, wrapText } from '../describe-error.ts';
import type { Say } from '../print.ts';
import { runJob } from '../watch-job.ts';
import { type Claude, describeOthers, findOriginal, readClaudeSettings } from './claude-cli.ts';
import { launcherIn, noteOffer, readMark } from './plugin-folder.ts';

export type Asking = {
  paths: Paths;
  folder: string;
  claudeFolder: string;
  claude: Claude | null;
  yes: boolean;
  /** There is a person, and no program waits for the answer. */
  mayAsk: boolean;
  say: Say;
};

export async function askAll(asking: Asking): Promise<void> {
  const offered = readMark(asking.folder)?.offered ?? [];
  await offerMigration(asking, !offered.includes('original') && asking.mayAsk);
  if (!offered.includes('import')) await offerImport(asking);
  if (!offered.includes('login') && asking.mayAsk && !asking.yes) await askModel(asking);
}

/** The original claude-mem: both work side by side; or its memories are imported and it is turned off, which keeps its data. */
async function offerMigration({ folder, claudeFolder, claude, say }: Asking, mayAsk: boolean): Promise<void> {
  const settings = readClaudeSettings(claudeFolder);
  for (const line of describeOthers(settings, launcherIn(folder))) say(line);
  const theirs = `${homeDir()}/.claude-mem/claude-mem.db`;
  if (!existsSync(theirs)) return;
  if (!mayAsk) {
    say(`To import the memories of another claude-mem: claude-mem import ${theirs}`);
    return;
  }
  noteOffer(folder, 'original');
  if (!askPerson(wrapText(`Another claude-mem has memories in ${theirs}. Import them, and turn that one off (its data stays)? [y/N] `))) {
    say('Both go on side by side.');
    return;
  }
  say(sayOutcome(await runJob('import', nameSource(theirs), {})));
  const original = findOriginal(settings);
  if (claude && original) await claude.ask('plugin', 'disable', original);
  if (original) say(claude ? `Turned off ${original}.` : `To turn it off: claude plugin disable ${original}`);
}

async function offerImport({ folder, claudeFolder, yes, say, ...asking }: Asking): Promise<void> {
  const { sessions, bytes } = await countPast(homeDir(), claudeFolder);
  if (Object.keys(sessions).length === 0) return;
  const past = claudeFolder === `${homeDir()}/.claude` ? undefined : `${claudeFolder}/projects`;
  // A folder that a variable names may be anybody's.
  const isAgreed = yes && (past === undefined || isPerson());
  const said = `${sayTranscripts(sessions, bytes)}; reading them costs no tokens.`;
  const mayAsk = !isAgreed && asking.mayAsk;
  if (!mayAsk) say(isAgreed ? said : `${said} To import them: claude-mem import`);
  if (!mayAsk && !isAgreed) return;
  const answer = isAgreed ? 'yes' : askLine(wrapText(`${said} Import now? [Y/n] `));
  // Before it begins: whoever interrupts it knows of it.
  if (answer !== null) noteOffer(folder, 'import');
  const isWanted = answer === '' || isYes(answer);
  say(isWanted ? sayOutcome(await runJob('import', nameSource(past), {})) : 'Not now. `claude-mem import` does it at any time.');
}

const sayOutcome = (outcome: Outcome) => (typeof outcome === 'object' && 'text' in outcome ? outcome.text() : String(outcome ?? ''));

/** By agent. Who keeps Claude Code's elsewhere is offered those alone: the others may be another person's. */
export async function countPast(home: string, claudeFolder: string): Promise<{ sessions: Record<string, number>; bytes: number }> {
  const isUsual = claudeFolder === `${home}/.claude`;
  const found = await listPast(home, isUsual ? {} : { agent: 'claude-code', claudeDir: claudeFolder });
  const sessions: Record<string, number> = {};
  for (const { host } of found) sessions[host.name] = (sessions[host.name] ?? 0) + 1;
  return { sessions, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** What it sends where, what it costs, what it gives. Whoever has chosen already is not asked. */
async function askModel({ paths, folder, claude, say }: Asking): Promise<void> {
  const { config, broken } = loadConfig(paths.config);
  if (broken || config.provider !== 'auto' || config.claudeLogin !== 'ask') return;
  const ollama = await findOllama();
  if (!claude && !ollama) return;
  const prices = `about ${priceOfDay('sonnet')} a day of ${DAY_TURNS} turns with sonnet, ${priceOfDay('haiku')} with haiku (estimates)`;
  const lines = [
    '',
    'Rules make memories of every turn: free, and nothing leaves this machine. A model can make better ones.',
    '  It gets of each turn: your prompt, what the agent said and ran, changed lines; no secrets, nothing private',
    ...(await sayLastSession(paths)),
    ...(claude ? [`  y  with your Claude login: sent to Anthropic; ${prices}, at most ${most(config)} tokens a day`] : []),
    ...(ollama ? [`  o  with ${ollama.model} of Ollama at ${ollama.address}: stays on this machine, free, slower`] : []),
    '  n  no model; nothing is sent',
  ];
  const answer = askLine(`${wrapText(lines.join('\n'))}\nWhich? [${claude ? 'y/' : ''}${ollama ? 'o/' : ''}n, Enter: later] `);
  noteOffer(folder, 'login');
  const wanted = settingsFor(answer, claude !== null, ollama);
  if (wanted.length === 0) say('Nothing changed. docs/model.md says how to choose one at any time.');
  // What is missing is said; the rest of `install` does not depend on it.
  for (const [name, value] of wanted) await keepSetting(name, value).catch((error) => console.error(describeError(error)));
}

const most = (config: { 'budget.dailyTokens': number }) => config['budget.dailyTokens'].toLocaleString('en');

type Ollama = { address: string; model: string };
type Setting = [Parameters<typeof keepSetting>[0], string];

function settingsFor(answer: string | null, hasClaude: boolean, ollama: Ollama | null): Setting[] {
  if (isYes(answer) && hasClaude) return [['claudeLogin', 'allow']];
  if (isNo(answer)) return [['claudeLogin', 'deny']];
  if (!ollama || !/^o(llama)?$/i.test(answer ?? '')) return [];
  const { address, model } = ollama;
  return [
    ['model', model],
    ['baseUrl', `${address}/v1`],
    ['provider', 'openai'],
  ];
}

const LOOK_MS = 500;
const OLLAMA_PORT = 11434;

async function findOllama(): Promise<Ollama | null> {
  const said = URL.parse(`http://${ollamaHost().replace(/^https?:\/\//, '')}`);
  // Another machine is not looked for.
  const address = said && isLoopback(said) ? `http://${said.hostname}:${said.port || OLLAMA_PORT}` : `http://127.0.0.1:${OLLAMA_PORT}`;
  try {
    const response = await fetch(`${address}/api/tags`, { signal: AbortSignal.timeout(LOOK_MS), redirect: 'error' });
    const { models } = (await response.json()) as { models?: { name?: unknown }[] };
    const name = models?.[0]?.name;
    return typeof name === 'string' && /^[\w.:/-]{1,100}$/.test(name) ? { address, model: name } : null;
  } catch {
    // Nobody there, or not Ollama: then it is not offered.
    return null;
  }
}

const MOST_SHOWN = 3;

async function sayLastSession(paths: Paths): Promise<string[]> {
  if (!existsSync(paths.database)) return [];
  const { items } = await askWorker<SessionsAnswer>(paths, '/api/sessions?limit=1');
  const [last] = items;
  if (!last) return [];
  const { turns, total } = await askWorker<SessionPage>(paths, `/api/sessions/${encodeURIComponent(last.session)}?limit=50`);
  const titles = turns.flatMap(({ observations }) => observations.flatMap(({ title }) => title ?? []));
  const bare = turns.filter(({ observations }) => observations.length === 0).length;
  const tokens = total * (TURN_TOKENS.input + TURN_TOKENS.output);
  const name = plainLine(last.firstPrompt ?? last.title ?? last.session, 60);
  const also = bare === 0 ? '' : `, also the ${sayCount(bare, 'turns')} that rules made nothing of`;
  const where = `${plainLine(last.project, 40)}, ${sayCount(total, 'turns')}`;
  return [
    `  Your last session: “${name}” (${where}). Rules made ${sayCount(titles.length, 'memories')} of it:`,
    ...titles.slice(0, MOST_SHOWN).map((title) => `    - ${plainLine(title, 90)}`),
    `  A model would read all of it (about ${tokens.toLocaleString('en')} tokens)${also},`,
    '  and write what was learned and decided in whole sentences.',
  ];
}
