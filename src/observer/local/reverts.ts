// Which commits `git revert` took back: by the hash it was given, or the subject that git answered with.
import { gitWords } from './commands/git-words.ts';
import type { Step } from './turn.ts';

/** `hash` null = git did not print it. */
export type Named = { hash: string | null; subject: string };

/** Subjects and hashes of the commits that a step reverted. */
export function readReverted(step: Step): string[] {
  if (!step.run || step.run.failed || !isRevert(step)) return [];
  const command = step.event.action.type === 'command' ? step.event.action.command.slice(0, 4000) : '';
  const told = `${step.run.output.slice(0, 4000)}\n${command}`;
  const subjects = [...told.matchAll(/Revert "([^\n]{3,300}?)"(?=$|["'\n\s])/gm)].map(([, subject = '']) => subject);
  const named = step.run.commands.flatMap((simple) => {
    const { verb, rest } = gitWords(simple);
    return verb === 'revert' ? rest.filter((arg) => /^[0-9a-f]{7,40}$/.test(arg)) : [];
  });
  return [...subjects, ...named];
}

function isRevert({ git }: Step): boolean {
  return git.some(
    (deed) =>
      (deed.kind === 'undo' && deed.how.startsWith('git revert')) || (deed.kind === 'commit' && deed.commit.revert),
  );
}

export function isRevertOf(reverted: string[], { hash, subject }: Named): boolean {
  return reverted.some((name) => name === subject || (hash !== null && isSameHash(name, hash)));
}

const isSameHash = (name: string, hash: string) =>
  /^[0-9a-f]{7,40}$/.test(name) && (hash.startsWith(name) || name.startsWith(hash));
