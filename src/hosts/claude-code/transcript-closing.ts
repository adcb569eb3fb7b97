// What an agent said last: the closing message of its turn, once it is known that the turn is over.
import type { Line } from './transcript-line.ts';

export type Closing = {
  hear: (line: Line) => void;
  /** Whether it belongs to the message that was heard last. */
  isSame: (line: Line) => boolean;
  isOver: () => boolean;
  /** What was said last, once. */
  take: () => { line: Line; text: string } | null;
};

export function createClosing(): Closing {
  let said: { line: Line; texts: string[] } | null = null;
  const isSame = (line: Line) => said !== null && line.messageId !== '' && said.line.messageId === line.messageId;
  return {
    isSame,
    hear(line) {
      said = isSame(line) && said ? { line, texts: [...said.texts, line.text] } : { line, texts: [line.text] };
    },
    isOver: () => said?.line.isEndOfTurn ?? false,
    take() {
      const taken = said && { line: said.line, text: said.texts.join('\n') };
      said = null;
      return taken;
    },
  };
}
