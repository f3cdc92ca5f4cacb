import { z } from 'zod'

const UNSTORABLE = /\0|\p{Surrogate}/u
const EVERY_UNSTORABLE = /\0|\p{Surrogate}/gu

/** Whether every store can hold the text unchanged: it has neither NUL nor half a surrogate pair. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

/** The text as every store can hold it: NUL and each half of a surrogate pair become U+FFFD. Its length stays the same. */
export const toStorable = (text: string): string => text.replaceAll(EVERY_UNSTORABLE, '\uFFFD')

/**
 * Text for people: names, descriptions, comments, instructions. A program that cuts a text may leave half of an emoji at
 * its end, which must not cost the record, so the text is repaired; the response names the field in `REPAIRED_HEADER`.
 */
export const repairedText = (maxCharacters?: number) => bounded(maxCharacters).overwrite(toStorable)

/** Text that is compared with other text, such as a key, a path or the name of a model. It is never changed, so it is refused. */
export const identifierText = (maxCharacters?: number) =>
  bounded(maxCharacters).refine(isStorable, { error: 'holds NUL or half a surrogate pair' })

function bounded(maxCharacters: number | undefined) {
  if (maxCharacters === undefined) return z.string()
  return z.string().max(maxCharacters, `has more than ${maxCharacters} characters`)
}

/**
 * Response header with the fields of the request that could not be stored as they were sent, separated by commas, e.g.
 * `comment` or `0.name`. Texts had NUL or half a surrogate pair, which are U+FFFD now; numbers were NaN or Infinity, which
 * JSON does not have, and are null.
 */
export const REPAIRED_HEADER = 'x-touchstone-repaired'

/** Fields that the header names at most. */
const MAX_FIELDS = 20
/** Characters of one name. */
const MAX_NAME = 100
/** Characters of the whole header: clients refuse a response whose headers together have more than 16 KiB. */
const MAX_HEADER = 1000

/**
 * The paths of texts that a schema has repaired, `body` for the whole value.
 *
 * @param given  what was parsed  @param kept  what the schema made of it
 */
export function findRepairedTexts(given: unknown, kept: unknown, path = ''): string[] {
  if (typeof given === 'string') {
    const isRepaired = typeof kept === 'string' && !isStorable(given) && given !== kept && isStorable(kept)
    return isRepaired ? [path || 'body'] : []
  }
  if (typeof given !== 'object' || given === null || typeof kept !== 'object' || kept === null) return []
  if (given === kept) return [] // kept as it is, like payloads of users
  const found: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (found.length >= MAX_FIELDS || !Object.hasOwn(kept, key)) continue
    found.push(
      ...findRepairedTexts(value, (kept as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return found.slice(0, MAX_FIELDS)
}

/**
 * The value of the header. A key of a record may hold any character, and a header only some; names that are cut or left out
 * end with an encoded ellipsis.
 */
export function printRepaired(fields: readonly string[]): string {
  const names = [...new Set(fields)].slice(0, MAX_FIELDS).map(printName)
  const shown = [...names]
  while (shown.join(', ').length > MAX_HEADER) shown.pop()
  return (shown.length < names.length ? [...shown, encodeURI('…')] : shown).join(', ')
}

function printName(field: string): string {
  const name = field.length > MAX_NAME ? `${field.slice(0, MAX_NAME)}…` : field
  return encodeURI(toStorable(name)).replaceAll(',', '%2C')
}
