// What `GET /api/stats` answers: how much there is, what it cost, how fast it was. The contract of `claude-mem stats` and of Health.

/**
 * ack: a hook's line read until its commit. queueWait: the arrival of a turn's last event until the turn is processed.
 * observe: the processing of a turn. index: a batch of vectors. note: what a prompt is given; lateNote: what was not
 * ready in time, and left out.
 */
export const STAGES = ['ack', 'queueWait', 'observe', 'index', 'note', 'lateNote'] as const;
export type Stage = (typeof STAGES)[number];
