// Variants measured round by round, so that all of them see the same noise of the machine.

export type Variant = { name: string; measure: (round: number) => Promise<number> };

export type Rounds = { count: number; warmUp: number };

/** The times of each variant, by its name. Every round begins with another variant, so that none always follows the same one. */
export async function measureRounds(variants: Variant[], { count, warmUp }: Rounds): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(variants.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < count; round++) {
    for (const { name, measure } of rotate(variants, round + warmUp)) {
      const ms = await measure(round + warmUp);
      if (round >= 0) times[name]?.push(ms);
    }
  }
  return times;
}

function rotate<T>(values: T[], by: number): T[] {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}
