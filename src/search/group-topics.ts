// Which of some titles are about one topic. What was grouped before stays together when something new comes at the end.
import { stemsOf } from './alike.ts';

export type Titled = {
  id: number;
  title: string;
  /** What replaces it is of its topic, whatever its words are. */
  newer: number | null;
};

/** Of the shorter title so much is in the other. */
const SHARED = 0.5;
const LEAST_SHARED = 2;

/** In the order given, which is that of time: a topic is called by the first of its titles. */
export function groupTopics<T extends Titled>(items: T[]): T[][] {
  const topics: { words: Set<string>; items: T[] }[] = [];
  const byNewer = new Map<number, (typeof topics)[number]>();
  for (const item of items) {
    const words = stemsOf(item.title);
    const linked = byNewer.get(item.id) ?? byNewer.get(item.newer ?? 0);
    const known = linked ?? topics.find((topic) => isSameTopic(topic.words, words));
    const topic = known ?? { words, items: [] };
    if (!known) topics.push(topic);
    topic.items.push(item);
    if (item.newer !== null) byNewer.set(item.newer, topic);
  }
  return topics.map((topic) => topic.items);
}

function isSameTopic(one: Set<string>, other: Set<string>): boolean {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared >= LEAST_SHARED && shared / Math.min(one.size, other.size) >= SHARED;
}
