/**
 * Holm's correction: p values as they may be held against one level, however many were looked at.
 *
 * @returns in the order given; null stays null and does not count
 */
export function holm(pValues: readonly (number | null)[]): (number | null)[] {
  const rising = pValues
    .map((p, at) => ({ p, at }))
    .filter((one): one is { p: number; at: number } => one.p !== null)
    .sort((one, other) => one.p - other.p)
  const adjusted: (number | null)[] = pValues.map(() => null)
  let highest = 0
  rising.forEach(({ p, at }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (rising.length - rank)))
    adjusted[at] = highest
  })
  return adjusted
}
