import { BASE_SPLIT } from '@touchstone/contract'
import { isStorable } from '../../../storage/relational/columns.ts'

const MAX_NAME = 500

/**
 * Names of splits as they are stored: each once, in the order given, `base` when there are none.
 *
 * @returns a sentence about what is wrong with them
 */
export function readSplits(given: unknown): string[] | { readonly wrong: string } {
  const names: unknown[] = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [given]
  for (const name of names) {
    if (typeof name !== 'string') return { wrong: 'is neither the name of a split nor a list of names' }
    if (name.length === 0 || name.length > MAX_NAME) {
      return { wrong: `has a name that does not have 1 to ${MAX_NAME} characters` }
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they part values on their way into the database
    if (!isStorable(name) || /[\u0000-\u001f]/.test(name)) {
      return { wrong: 'has a name with control characters or half a surrogate pair' }
    }
  }
  return names.length === 0 ? [BASE_SPLIT] : [...new Set(names as string[])]
}
