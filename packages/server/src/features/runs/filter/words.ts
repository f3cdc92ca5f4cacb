import { ApiError } from '@touchstone/contract'
import { WORDS } from '../../../storage/analytics/index-expressions.ts'
import { all, type Fragment, literal, sql, TRUE, texts } from '../../../storage/analytics/sql.ts'

/** Separators of words: ASCII except letters and digits, and the punctuation that the text index also leaves out. */
const SEPARATOR = /[\s\p{Cc} -/:-@[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f]+/u

/** Splits a text into lower-case words. */
export function splitWords(value: string): string[] {
  return value.toLowerCase().split(SEPARATOR).filter(Boolean)
}

/** Whether the index can find a word as a whole. In other scripts, punctuation alone does not mark word boundaries. */
export function isIndexedWord(word: string): boolean {
  return /^[a-z0-9]+$/.test(word)
}

const ALL_WORDS = literal(WORDS)

/** Whether a run contains all of the indexed words; uses the index. */
export function hasIndexedWords(words: readonly string[]): Fragment {
  return sql`hasAllTokens(${ALL_WORDS}, ${texts(words)})`
}

/** Distinct words in one search. */
const MAX_WORDS = 50

/** Whether a run contains every word: ASCII words as whole words, by the index; others as parts of the text. */
export function hasWords(value: string): Fragment {
  const words = [...new Set(splitWords(value))]
  if (words.length > MAX_WORDS) {
    throw new ApiError(
      'INVALID_REQUEST',
      `Cannot search for ${words.length} words at once, at most ${MAX_WORDS} are allowed.`,
    )
  }
  const indexed = words.filter(isIndexedWord)
  const others = words.filter((word) => !isIndexedWord(word))
  const conditions = others.map(hasPart)
  if (indexed.length > 0) conditions.unshift(hasIndexedWords(indexed))
  return conditions.length === 0 ? TRUE : all(conditions)
}

/** Payloads are stored as received, and some clients escape non-ASCII characters: `caf\u00e9`. */
function hasPart(word: string): Fragment {
  const spellings = new Set([word, escapeNonAscii(word), escapeNonAscii(word.toUpperCase())])
  return sql`multiSearchAny(${ALL_WORDS}, ${texts([...spellings])})`
}

function escapeNonAscii(word: string): string {
  return word
    .split('')
    .map((unit) => {
      const code = unit.charCodeAt(0)
      return code < 0x80 ? unit.toLowerCase() : `\\u${code.toString(16).padStart(4, '0')}`
    })
    .join('')
}
