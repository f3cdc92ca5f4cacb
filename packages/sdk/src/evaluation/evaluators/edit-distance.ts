import type { EvaluationResult } from '../types.ts'
import { type KeyedEvaluator, type Selection, selectParts, toText, withKey } from './selection.ts'

export interface EditDistanceOptions extends Selection {
  /** Longer texts are rejected: the time grows with the product of both lengths. @default 20,000 characters */
  maxCharacters?: number | undefined
}

/**
 * Similarity of two texts: 1 minus their Levenshtein distance divided by the length of the longer text. Equal texts
 * score 1, texts without anything in common score 0. Other values are compared as JSON.
 *
 * @returns an evaluator for the key `edit_similarity`; its comment contains the distance
 */
export function editDistance(options: EditDistanceOptions = {}): KeyedEvaluator<EvaluationResult> {
  const { key = 'edit_similarity', maxCharacters = 20_000 } = options
  return withKey(key, (args) => {
    const { actual, expected } = selectParts(args, options)
    const [left, right] = [toText(actual), toText(expected)]
    const longest = Math.max(Array.from(left).length, Array.from(right).length)
    if (longest > maxCharacters) throw new Error(`A text of ${longest} characters is longer than ${maxCharacters}.`)
    const distance = levenshtein(left, right)
    const score = longest === 0 ? 1 : 1 - distance / longest
    return { key, score, comment: `${distance} edits over ${longest} characters` }
  })
}

/**
 * Number of insertions, deletions and substitutions that turn one text into the other. Characters are code points, so
 * an emoji counts as one.
 */
export function levenshtein(left: string, right: string): number {
  const [a, b] = trimSharedEnds(Array.from(left), Array.from(right))
  // Dynamic programming over one row at a time, along the shorter text.
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

/** The distance divided by the length of the longer text: 0 for equal texts, 1 for texts with nothing in common. */
export function relativeDistance(left: string, right: string): number {
  const longest = Math.max(Array.from(left).length, Array.from(right).length)
  return longest === 0 ? 0 : levenshtein(left, right) / longest
}

function trimSharedEnds(a: string[], b: string[]): [string[], string[]] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}
