// Which part of the start page answers questions, and what it costs: a section that answers nothing by itself has not earned its place.
import { type Case, holdsAll, plain } from './case.ts';
import type { Played } from './play.ts';

export type SectionScore = {
  records: number;
  characters: number;
  /** Questions whose answer stands in one record of it. */
  answers: number;
  /** Of these: stands in no record of another section. */
  alone: number;
};

export async function scoreSections(cases: Case[], played: Played): Promise<Record<string, SectionScore>> {
  const scores: Record<string, SectionScore> = {};
  for (const one of cases) {
    const { records } = await played.api.previewContext({ cwd: played.places.get(one.name)?.root ?? '' });
    const scoreOf = (section: string) => {
      scores[section] ??= { records: 0, characters: 0, answers: 0, alone: 0 };
      return scores[section];
    };
    for (const { section, text } of records) {
      scoreOf(section).records++;
      scoreOf(section).characters += text.length;
    }
    for (const { kind, answer } of one.questions) {
      if (kind === 'absent') continue;
      const answering = records.filter(({ text }) => holdsAll(plain(text), answer ?? []));
      const sections = new Set(answering.map(({ section }) => section));
      for (const section of sections) {
        scoreOf(section).answers++;
        if (sections.size === 1) scoreOf(section).alone++;
      }
    }
  }
  return scores;
}

export const describeSections = (scores: Record<string, SectionScore>): string[] => [
  `${'section of the page'.padEnd(24)}records  characters  answers  alone`,
  ...Object.entries(scores).map(
    ([name, { records, characters, answers, alone }]) =>
      `${name.padEnd(24)}${String(records).padStart(7)}${String(characters).padStart(12)}${String(answers).padStart(9)}${String(alone).padStart(7)}`,
  ),
];
