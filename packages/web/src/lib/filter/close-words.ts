/** Suggestions in a message. */
const MAX_WORDS = 3

/** Words that a mistyped word probably stands for, the closest first: at most two edits away, or longer by its end. */
export function findCloseWords(typed: string, words: readonly string[]): string[] {
  const wanted = typed.toLowerCase()
  const allowed = wanted.length < 5 ? 1 : 2
  return [...new Set(words)]
    .map((word) => ({ word, edits: isStart(wanted, word) ? 1 : countEdits(wanted, word) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((one, other) => one.edits - other.edits)
    .slice(0, MAX_WORDS)
    .map(({ word }) => word)
}

function isStart(typed: string, word: string): boolean {
  return typed.length >= 3 && (word.startsWith(typed) || (typed.startsWith(word) && word.length >= 3))
}

/** Insertions, deletions, replacements and swaps of neighbors that turn one word into the other. */
function countEdits(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1]
      const isSwap = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = next
  }
  return last[other.length] ?? 0
}
