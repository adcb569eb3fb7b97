// Variants measured round by round, so that all of them see the same noise of the machine.

/** A yardstick is what the others are compared with: its place in the round moves, so that it follows each of them in turn. */
export type Variant = { name: string; isYardstick?: boolean; measure: (round: number) => Promise<number | Timed> };

export type Timed = { ms: number; cpuMs: number };

/** By this the time of the processor is kept. */
export const cpuOf = (name: string) => `${name}, processor`;

export type Rounds = { count: number; warmUp: number };

/** The times of each variant, by its name. */
export async function measureRounds(variants: Variant[], { count, warmUp }: Rounds): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(variants.map(({ name }) => [name, []]));
  for (let round = 0; round < count + warmUp; round++) {
    for (const { name, measure } of orderRound(variants, round)) {
      const timed = await measure(round);
      if (round < warmUp) continue;
      times[name]?.push(typeof timed === 'number' ? timed : timed.ms);
      if (typeof timed === 'number') continue;
      times[cpuOf(name)] ??= [];
      times[cpuOf(name)]?.push(timed.cpuMs);
    }
  }
  return times;
}

function orderRound(variants: Variant[], round: number): Variant[] {
  const judged = variants.filter(({ isYardstick }) => !isYardstick);
  const place = round % (judged.length + 1);
  return [...judged.slice(0, place), ...variants.filter(({ isYardstick }) => isYardstick), ...judged.slice(place)];
}
