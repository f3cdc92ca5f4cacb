/**
 * Values as they are drawn: in a stack each layer is the sum of itself and those below it. Where a layer has no value it
 * adds nothing; where none has one there is a gap. Dashed lines stand on their own.
 */
export function stack(
  lines: readonly { values: readonly (number | null)[]; isDashed: boolean }[],
  isStacked: boolean,
): (readonly (number | null)[])[] {
  if (!isStacked) return lines.map(({ values }) => values)
  const sums: (number | null)[] = []
  return lines.map(({ values, isDashed }) => {
    if (isDashed) return values
    for (const [at, value] of values.entries()) {
      sums[at] = value === null ? (sums[at] ?? null) : (sums[at] ?? 0) + value
    }
    return [...sums]
  })
}
