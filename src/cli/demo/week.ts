// The recorded week of the demo, read and checked. It is data: week.yaml.
import { z } from 'zod';
import recorded from './week.yaml';

const ActSchema = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ read: z.string() }),
  z.strictObject({ write: z.string(), text: z.string() }),
  z.strictObject({ edit: z.string(), old: z.string(), new: z.string() }),
  z.strictObject({ run: z.string(), out: z.string(), fails: z.boolean().optional() }),
  z.strictObject({ commit: z.string() }),
  z.strictObject({ ask: z.string(), options: z.record(z.string(), z.string()), answer: z.string() }),
  z.strictObject({ task: z.string() }),
]);
export type Act = z.output<typeof ActSchema>;

const TurnSchema = z.strictObject({ prompt: z.string(), acts: z.array(ActSchema), closing: z.string() });
export type Turn = z.output<typeof TurnSchema>;

/** `at`: by the clock of the person; without it, it plays now. */
const SessionSchema = z.strictObject({ daysAgo: z.number(), at: z.string().optional(), turns: z.array(TurnSchema) });
export type Session = z.output<typeof SessionSchema>;

const WeekSchema = z.strictObject({
  repository: z.strictObject({
    name: z.string(),
    person: z.strictObject({ name: z.string(), email: z.string() }),
    daysAgo: z.number(),
    at: z.string(),
    message: z.string(),
    files: z.record(z.string(), z.string()),
  }),
  sessions: z.array(SessionSchema),
  questions: z.array(z.string()),
  /** What must be in no file of the memory: the words of a private block, a key. */
  unkept: z.strictObject({ secret: z.string(), private: z.string() }),
});
export type Week = z.output<typeof WeekSchema>;

export const readWeek = (): Week => WeekSchema.parse(recorded);

/** On a day of this week, by the clock of the person; without a time of day it is now. */
export function momentOf({ daysAgo, at }: Pick<Session, 'daysAgo' | 'at'>, now: number): number | null {
  if (at === undefined) return null;
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const day = new Date(now);
  day.setDate(day.getDate() - daysAgo);
  return day.setHours(hours, minutes, 0, 0);
}
