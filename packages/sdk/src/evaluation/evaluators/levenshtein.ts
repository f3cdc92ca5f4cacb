/**
 * The least number of characters to insert, delete or exchange that turns one text into the other. Characters are code
 * points, so an emoji is one.
 */
export function levenshtein(left: string, right: string): number {
  const [a, b] = withoutSharedEnds(Array.from(left), Array.from(right))
  // One row of the classic matrix at a time, over the shorter text.
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  const row = Uint32Array.from({ length: short.length + 1 }, (_, column) => column)
  for (let line = 1; line <= long.length; line++) {
    let diagonal = row[0]!
    row[0] = line
    for (let column = 1; column <= short.length; column++) {
      const exchanged = diagonal + (short[column - 1] === long[line - 1] ? 0 : 1)
      diagonal = row[column]!
      row[column] = Math.min(exchanged, row[column - 1]! + 1, diagonal + 1)
    }
  }
  return row[short.length]!
}

/** The same over the length of the longer text: 0 for equal texts, 1 for texts with nothing in common. */
export function relativeDistance(left: string, right: string): number {
  const longest = Math.max(Array.from(left).length, Array.from(right).length)
  return longest === 0 ? 0 : levenshtein(left, right) / longest
}

function withoutSharedEnds(a: string[], b: string[]): [string[], string[]] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}
