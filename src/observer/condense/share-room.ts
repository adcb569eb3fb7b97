// Shares a room among events: who needs less than its share leaves the rest to the others.

export type Claim = { wanted: number; weight: number };

/** Nobody is squeezed below this: a change or failure cut further says nothing. Looking around makes do with half. */
const LEAST_SHARE = 700;
const HEAVY = 2;

/** How many characters each may have, in the order given; together at most `room`, unless the least shares are more. */
export function shareRoom(claims: Claim[], room: number): number[] {
  const order = claims.map((claim, at) => ({ ...claim, at })).sort((a, b) => a.wanted / a.weight - b.wanted / b.weight);
  const shares: number[] = new Array(claims.length).fill(0);
  let left = room;
  let weights = claims.reduce((sum, { weight }) => sum + weight, 0);
  for (const { wanted, weight, at } of order) {
    const fair = Math.max(0, Math.floor((left * weight) / weights));
    const share = Math.min(wanted, Math.max(fair, weight < HEAVY ? LEAST_SHARE / 2 : LEAST_SHARE));
    shares[at] = share;
    left -= share;
    weights -= weight;
  }
  return shares;
}
