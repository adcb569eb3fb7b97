// Words in the place of the user's that the host wrote itself: news of background work, the account that goes on after a compaction.
import { asRecord, type Fields, text } from '../fields.ts';

/** What stands behind the block is the host's, too: where a result lies, how to go on. */
const NEWS = /^\s*<task-notification[\s>]/;
const CONTINUATION = /^\s*This session is being continued from a previous conversation\b/;

export const isContinuation = (said: string): boolean => CONTINUATION.test(said);
export const isHostMade = (said: string): boolean => NEWS.test(said) || isContinuation(said);

/** As a line says it of itself; older versions do not. What another session, a timer or a plugin sends is no word of a person either. */
export function isSentByHost({ origin, turnOrigin, commandMode, isMeta }: Fields): boolean {
  const kind = text(asRecord(origin).kind);
  const turn = text(turnOrigin);
  return (
    isMeta === true ||
    text(commandMode) === 'task-notification' ||
    (kind !== '' && kind !== 'human') ||
    (turn !== '' && !OF_PEOPLE.includes(turn))
  );
}

const OF_PEOPLE = ['human', 'sdk', 'unknown'];
