// What the contract suite needs to know of a provider's wire format to play its server.

/** An answer of the model, in no format. */
export type Spoken = {
  text?: string;
  /** Besides the text, or instead of it. */
  extra?: 'tool call' | 'thinking';
  stop: 'done' | 'limit' | 'tool call' | 'refusal';
};

/** A question as it came over the wire. */
export type Asked = { instructions: string; prompt: string; maxOutputTokens: unknown; hasTools: boolean };

export type Wire = {
  /** A whole answer. It bills BILLED. */
  answer: (spoken: Spoken) => { contentType: string; body: string };
  /** An answer whose text is whole, but which lacks its end. */
  withoutEnd: (spoken: Spoken) => { contentType: string; body: string };
  /** The beginning of an answer, and what can follow it for ever. */
  drip: { contentType: string; begin: string; goOn: string };
  error: (type: string, message: string) => object;
  readAsked: (body: unknown) => Asked;
};

/** What a fake server counts, in the words of our contract. */
export const BILLED = { inputTokens: 1030, cachedTokens: 20, outputTokens: 50 };
