// Puts texts through every door by which a text gets into memory.
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bash, bashFailure, edit, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import type { World } from './world.ts';
import type { Payload } from './xss-payloads.ts';

const AT_ONCE = 44;
const LONGEST_NAME = 120;

/** A name of a file or folder has no slash and no NUL. */
const asName = (text: string) => text.replace(/[/\0]/g, '').slice(0, LONGEST_NAME);

/** The host's own ids; each is a payload, too. */
export type Stored = { sessions: string[]; folders: string[]; files: string[] };

export async function storeEverywhere(world: World, payloads: readonly Payload[]): Promise<Stored> {
  const stored: Stored = { sessions: [], folders: [], files: [] };
  const pick = (at: number) => payloads[(at * 37) % payloads.length]?.text ?? '';
  for (let at = 0; at * AT_ONCE < payloads.length; at++) {
    const texts = payloads.slice(at * AT_ONCE, (at + 1) * AT_ONCE).map(({ text }) => text);
    const folder = world.project(asName(pick(at + 1)));
    const session = `session ${asName(pick(at + 2))}`;
    const file = `src/${asName(pick(at + 3))}.ts`;
    await tellByHooks(world, { session, cwd: folder, file, texts });
    stored.sessions.push(session);
    stored.folders.push(folder);
    stored.files.push(file);
  }
  await tellByHttp(world, payloads);
  await saveAndCorrect(world, payloads);
  writeLog(world, payloads);
  return stored;
}

type Turn = { session: string; cwd: string; file: string; texts: string[] };

async function tellByHooks(world: World, { session, cwd, file, texts }: Turn): Promise<void> {
  const all = texts.join('\n');
  const [first = ''] = texts;
  await world.hook('context', sessionStart(session, cwd));
  await world.hook('new', userPrompt(session, cwd, all));
  await world.hook('save', bash(session, cwd, first, all));
  await world.hook('save', bashFailure(session, cwd, `npm test ${first}`, `FAIL ${all}`));
  await world.hook('save', edit(session, cwd, file, [`-${first}`, ...texts.map((text) => `+${text.replaceAll('\n', ' ')}`)]));
  await world.hook('summary', stop(session, cwd, `Fixed: ${first} Decision: we keep ${texts[1]}. Next: ${texts[2]}\n${all}`));
}

async function tellByHttp(world: World, payloads: readonly Payload[]): Promise<void> {
  const all = payloads.map(({ text }) => text).join('\n');
  const sessionId = `http ${payloads[3]?.text}`;
  const own = { sessionId, project: `named ${payloads[5]?.text}` };
  await world.api('POST', '/api/sessions/init', { ...own, prompt: all.slice(0, 4000) });
  const tool = { tool_name: payloads[0]?.text, tool_input: { [payloads[1]?.text ?? '']: all }, tool_response: { text: all } };
  await world.api('POST', '/api/sessions/observations', { ...own, ...tool });
  await world.api('POST', '/api/sessions/summarize', { ...own, last_assistant_message: all.slice(0, 8000) });
}

const CORRECTED = 24;

/** Every third is hidden afterwards: those have a list of their own. */
async function saveAndCorrect(world: World, payloads: readonly Payload[]): Promise<void> {
  for (let at = 0; at < CORRECTED; at++) {
    const text = payloads[at * 20]?.text ?? '';
    const cwd = world.project('shop');
    const saved = await world.api('POST', '/api/memory/save', { text: `${at} ${text}`, title: text.slice(0, 150), cwd, by: 'user' });
    const { id } = saved.body as { id: string };
    const words = { title: `${at} ${text}`.slice(0, 150), narrative: text, facts: [text, `${text} again`] };
    await world.api('PATCH', `/api/observations/${id}`, { by: 'user', pinned: at % 2 === 0, ...words });
    if (at % 3 === 0) await world.api('DELETE', `/api/observations/${id}`);
  }
  const short = payloads.filter(({ text }) => text.length < 60);
  await world.api('PATCH', '/api/settings', { language: short[0]?.text });
  await world.api('PATCH', '/api/settings', { skipTools: short.slice(1, 4).map(({ text }) => text.replaceAll(',', ';')) });
}

/** Whatever is logged may have come from outside. */
function writeLog(world: World, payloads: readonly Payload[]): void {
  const logs = join(world.dataDir, 'logs');
  const [file = ''] = readdirSync(logs).filter((name) => name.startsWith('worker-'));
  const lines = payloads.slice(0, 80).map(({ text }, at) => {
    const level = ['INFO', 'WARN', 'ERROR'][at % 3];
    const details = { [text]: text, vnode: { type: 'img', props: { src: 'x', onerror: text } } };
    return `${new Date().toISOString()} ${level} ${text.replace(/[\n\r]/g, ' ')} ${JSON.stringify(details)}\n`;
  });
  appendFileSync(join(logs, file), lines.join(''));
}
