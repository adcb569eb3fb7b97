// `claude-mem team`: who belongs to it, and what of which project you give to it. Nothing is given unless you say so.
import { askWorker } from '../../client/api.ts';
import { plainLine } from '../../core/plain-line.ts';
import {
  AuditAnswer,
  DEFAULT_KINDS,
  MembersAnswer,
  PUBLISHED_KINDS,
  ROLES,
  SearchAnswer,
  type SyncStatus,
} from '../../core/shapes/sync.ts';
import { formatMoment } from '../../core/time.ts';
import { findPaths } from '../../paths.ts';
import { command, misuse, oneOf, person, someOf } from '../command.ts';
import { clientOf, requireAccount } from './sync.ts';

const GIVES = person('It decides who can read your memories.');
const role = (said: string) => {
  const known = ROLES.find((one) => one === said);
  if (known) return known;
  throw misuse(`A role is ${ROLES.join(', ')}, not "${said.slice(0, 40)}".`);
};

const ask = <Answer>(route: string, body: object) => askWorker<Answer>(findPaths(), route, { method: 'POST', body, timeoutMs: 60_000 });
const publish = (project: string, kinds: string[]) =>
  ask<{ project: string; kinds: string[] }>('/api/sync/publish', { project, kinds, by: 'user' });

export const teamCommand = command({
  name: 'team',
  about: 'Share decisions and rules of a project with your team',
  who: 'owner',
  commands: [
    command({
      name: 'publish <project>',
      about: 'Give the team your memories of a project, now and from now on: decisions and rules, unless you say which',
      options: { '--kinds <kinds>': someOf('Which', PUBLISHED_KINDS) },
      help: 'The hub and every member can read them. Others get them marked with your name. Yours alone: nobody else changes them.',
      examples: ['claude-mem team publish shop', 'claude-mem team publish shop --kinds decision,rule,bugfix'],
      who: GIVES,
      async run(project, { kinds }) {
        const answer = await publish(project, kinds ? kinds.split(',').map((kind) => kind.trim()) : DEFAULT_KINDS);
        return {
          answer,
          text: () => `Given to the team of ${answer.project}: ${answer.kinds.join(', ')}. To end it: claude-mem team unpublish`,
        };
      },
    }),
    command({
      name: 'unpublish <project>',
      about: 'Take back what you gave the team of a project',
      who: GIVES,
      async run(project) {
        const answer = await publish(project, []);
        return {
          answer,
          text: () => `Taken back from the team of ${answer.project}: gone from the hub and from every machine at its next sync.`,
        };
      },
    }),
    command({
      name: 'search <query>',
      about: 'Search at the hub in all that the team published',
      who: 'owner',
      async run(query) {
        const answer = await clientOf(requireAccount()).call('GET', `search?query=${encodeURIComponent(query)}`, SearchAnswer);
        const lines = answer.found.map(({ project, author, title }) => plainLine(`${project}  ${title}, by ${author}`, 200));
        return { answer, text: () => (lines.length > 0 ? lines.join('\n') : 'The team published nothing about this.') };
      },
    }),
    command({
      name: 'delete <id>',
      about: 'Delete for everybody what a member published, as an admin',
      help: 'It goes from the hub at once, from every machine at its next sync. Their own memory stays, and is not published again.',
      who: GIVES,
      async run(id) {
        const answer = await ask<{ id: string; author: string }>('/api/sync/delete', { id, by: 'user' });
        return { answer, text: () => `Deleted for the team: ${answer.id}, published by ${answer.author}.` };
      },
    }),
    command({
      name: 'invite <name>',
      about: 'Make a code with which a new member logs in, once, within a week; again for one who lost all machines',
      options: { '--role <role>': oneOf('What they may do', ROLES) },
      who: GIVES,
      async run(name, { role: said = 'writer' }) {
        const answer = await clientOf(requireAccount()).invite(name, said);
        return { answer, text: () => `Give ${name} this code, for \`claude-mem sync login ${requireAccount().hub}\`:\n  ${answer.code}` };
      },
    }),
    command({
      name: 'role <name> <role>',
      about: 'Make a member reader, writer or admin',
      completes: { role: ROLES },
      who: GIVES,
      async run(name, said) {
        await clientOf(requireAccount()).call('PATCH', `members/${encodeURIComponent(name)}`, null, { role: role(said) });
        return `${name} is ${said} from now on.`;
      },
    }),
    command({
      name: 'remove <name>',
      about: 'Put a member out of the team, with all machines, at once',
      who: GIVES,
      async run(name) {
        await clientOf(requireAccount()).call('DELETE', `members/${encodeURIComponent(name)}`, null);
        return `${name} gets nothing more, from the next request on.`;
      },
    }),
    command({
      name: 'audit',
      about: 'Show who did what to the team, newest first',
      who: 'owner',
      async run() {
        const answer = await clientOf(requireAccount()).call('GET', 'audit', AuditAnswer);
        const lines = answer.entries.map(({ at, actor, action, subject }) => `${formatMoment(at)}  ${actor}: ${action} ${subject}`);
        return { answer, text: () => lines.join('\n') };
      },
    }),
  ],
  async run() {
    const account = requireAccount();
    const [{ team, role: own, spaces }, { members }, { sync }] = await Promise.all([
      clientOf(account).me(),
      clientOf(account).call('GET', 'members', MembersAnswer),
      askWorker<{ sync: SyncStatus }>(findPaths(), '/api/status'),
    ]);
    const given = spaces.map(({ id, name }) => ({ name, yours: sync.published.find(({ space }) => space === id)?.kinds ?? [] }));
    const lines = [
      `${team}, you are ${own}`,
      ...members.map(({ name, role: what }) => `  ${name}, ${what}`),
      ...(given.length > 0 ? ['Projects:'] : ['No project is published.']),
      ...given.map(({ name, yours }) => `  ${name}${yours.length > 0 ? `, you give ${yours.join(', ')}` : ''}`),
    ];
    return { answer: { team, role: own, members, projects: given }, text: () => lines.join('\n') };
  },
});
