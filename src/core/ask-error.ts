// A question that cannot be answered as it was asked: what is wrong with it, and what to do.

export type AskErrorKind = 'invalid' | 'unknown' | 'ambiguous' | 'conflict';

/** `message` and `hint` are for whoever asked, a person or a model: whole sentences. */
export class AskError extends Error {
  readonly kind: AskErrorKind;
  readonly hint: string;
  readonly candidates: string[];
  constructor(kind: AskErrorKind, message: string, hint: string, candidates: string[] = []) {
    super(message);
    this.name = 'AskError';
    this.kind = kind;
    this.hint = hint;
    this.candidates = candidates;
  }
}
