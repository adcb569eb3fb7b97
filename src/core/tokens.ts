// How many tokens a text costs: estimated here and nowhere else.

const CJK = /[⺀-鿿가-힯豈-﫿︰-﹏＀-￯]|[\u{20000}-\u{3ffff}]/gu;

/** Characters / 4, with one token for each CJK character. */
export function estimateTokens(text: string): number {
  const cjk = text.match(CJK)?.length ?? 0;
  return cjk + Math.ceil((text.length - cjk) / 4);
}
