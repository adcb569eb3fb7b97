// Whether a text reads like instructions to an agent rather than like a report.

export function readsLikeInstructions(text: string): boolean {
  return /\b(?:ignore|disregard) (?:all |any )?(?:previous|prior|above) instructions\b/i.test(text);
}
