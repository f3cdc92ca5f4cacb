import { ApiError } from '@touchstone/contract'
import { type Fragment, literal, sql, texts } from '../../../storage/analytics/sql.ts'
import { WORDS } from '../../../storage/analytics/words.ts'
import { all, TRUE } from './logic.ts'

/** What separates words: ASCII that is no letter or digit, and the punctuation that the text index also leaves out. */
const SEPARATOR = /[\s\p{Cc} -/:-@[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f]+/u

/** Lower-case words of a text. */
export function wordsOf(value: string): string[] {
  return value.toLowerCase().split(SEPARATOR).filter(Boolean)
}

/** Whether a word is one for the index: in other scripts, borders of words cannot be told from punctuation alone. */
export function isPlain(word: string): boolean {
  return /^[a-z0-9]+$/.test(word)
}

const ALL_WORDS = literal(WORDS)

/** Every one of some plain words occurs in the run, by the index. */
export function hasAllWords(words: readonly string[]): Fragment {
  return sql`hasAllTokens(${ALL_WORDS}, ${texts(words)})`
}

/** Different words of one search. */
const MAX_WORDS = 50

/** Every word occurs in the run: ASCII words as whole words, from the index; others as parts of the text. */
export function hasWords(value: string): Fragment {
  const words = [...new Set(wordsOf(value))]
  if (words.length > MAX_WORDS) {
    throw new ApiError(
      'INVALID_REQUEST',
      `Cannot search for ${words.length} words at once, at most ${MAX_WORDS} are allowed.`,
    )
  }
  const plain = words.filter(isPlain)
  const others = words.filter((word) => !isPlain(word))
  const conditions = others.map(hasPart)
  if (plain.length > 0) conditions.unshift(hasAllWords(plain))
  return conditions.length === 0 ? TRUE : all(conditions)
}

/** Some clients escape what is not ASCII, `caf\u00e9`; payloads are kept as they came. */
function hasPart(word: string): Fragment {
  const spellings = new Set([word, escaped(word), escaped(word.toUpperCase())])
  return sql`multiSearchAny(${ALL_WORDS}, ${texts([...spellings])})`
}

function escaped(word: string): string {
  return Array.from({ length: word.length }, (_, at) => {
    const code = word.charCodeAt(at)
    return code < 0x80 ? word[at]!.toLowerCase() : `\\u${code.toString(16).padStart(4, '0')}`
  }).join('')
}
