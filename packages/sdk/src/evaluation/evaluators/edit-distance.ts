import type { EvaluationResult } from '../types.ts'
import { levenshtein } from './levenshtein.ts'
import { type KeyedEvaluator, keyed, type Selection, selected, textOf } from './selection.ts'

export interface EditDistanceOptions extends Selection {
  /** Longer texts are refused: the time grows with the product of both lengths. @default 20,000 characters */
  maxCharacters?: number | undefined
}

/**
 * How alike two texts are: 1 minus their Levenshtein distance over the length of the longer one, so 1 for equal texts and
 * 0 for texts without anything in common. What is no text is compared as JSON.
 *
 * @returns an evaluator of the key `edit_similarity`, whose comment tells the distance
 */
export function editDistance(options: EditDistanceOptions = {}): KeyedEvaluator<EvaluationResult> {
  const { key = 'edit_similarity', maxCharacters = 20_000 } = options
  return keyed(key, (args) => {
    const { actual, expected } = selected(args, options)
    const [left, right] = [textOf(actual), textOf(expected)]
    const longest = Math.max(Array.from(left).length, Array.from(right).length)
    if (longest > maxCharacters) throw new Error(`A text of ${longest} characters is longer than ${maxCharacters}.`)
    const distance = levenshtein(left, right)
    const score = longest === 0 ? 1 : 1 - distance / longest
    return { key, score, comment: `${distance} edits over ${longest} characters` }
  })
}
