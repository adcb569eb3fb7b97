// What the embedder's process is told and what it answers: one text at a time, so that a query never waits for more than one.
import type { EmbedderErrorKind, EmbedKind } from './embedder.ts';

export type ChildRequest = { text: string; kind: EmbedKind };

export type ChildAnswer =
  | { kind: 'vector'; vector: Int8Array }
  | { kind: 'failure'; errorKind: EmbedderErrorKind; reason: string };
