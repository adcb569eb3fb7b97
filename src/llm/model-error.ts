// What can go wrong with a model, by what it means for whoever asked.
import type { Usage } from '../core/usage.ts';

/**
 * transient: try again later (5xx, 529, no connection, deadline, cut-off stream, empty or foreign body).
 * rate-limited: not before `until`. auth: stop calling until the settings change. unrecoverable: this very request will never
 * pass (400, 404, 413). bad-answer: an answer came, but not one to read (no text, a tool call only, far too long).
 */
export type ModelErrorKind = 'transient' | 'rate-limited' | 'auth' | 'unrecoverable' | 'bad-answer';

type Details = { until?: number | null; usage?: Usage | null; cause?: unknown };

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Epoch ms, for rate-limited when the provider said so. */
  readonly until: number | null;
  /** What was spent on it, when that is known; a refused request costs nothing. Null: it may have been worked on. */
  readonly usage: Usage | null;

  constructor(kind: ModelErrorKind, message: string, { until = null, usage = null, cause }: Details = {}) {
    super(message, { cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.until = until;
    this.usage = usage;
  }
}
