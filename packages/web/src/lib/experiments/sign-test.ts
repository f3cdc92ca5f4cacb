/**
 * Two-sided p value of the exact sign test: the probability of a split at least as uneven as this one, if both sides win
 * with the same probability. Ties are not counted. Undefined without a decided pair.
 */
export function signTest(wins: number, losses: number): number | undefined {
  const decided = wins + losses
  if (decided === 0) return undefined
  const fewer = Math.min(wins, losses)
  // Terms of the binomial distribution as logarithms, because 2^n overflows beyond a thousand pairs.
  let logTerm = -decided * Math.LN2
  let tail = Math.exp(logTerm)
  for (let at = 1; at <= fewer; at++) {
    logTerm += Math.log((decided - at + 1) / at)
    tail += Math.exp(logTerm)
  }
  return Math.min(1, 2 * tail)
}
