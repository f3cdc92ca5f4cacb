import type { EvaluationResult } from '../types.ts'
import { isSame, type KeyedEvaluator, keyed, type Selection, selected } from './selection.ts'

export interface ExactMatchOptions extends Selection {
  /** Of texts. @default false */
  ignoreCase?: boolean | undefined
  /** White space at the ends of texts. @default false */
  trim?: boolean | undefined
}

/** Scores 1 when the outputs equal the reference, as JSON does: the order of members is no difference. Else 0. */
export function exactMatch(options: ExactMatchOptions = {}): KeyedEvaluator<EvaluationResult> {
  const key = options.key ?? 'exact_match'
  const plain = (value: unknown) => {
    if (typeof value !== 'string') return value
    const text = options.trim ? value.trim() : value
    return options.ignoreCase ? text.toLowerCase() : text
  }
  return keyed(key, (args) => {
    const { actual, expected } = selected(args, options)
    return { key, score: isSame(plain(actual), plain(expected)) ? 1 : 0 }
  })
}
