/** Distinct words that are kept of one example; more tell nothing more about it. */
const MAX_WORDS = 200
const MAX_WORD_LENGTH = 64

const WORD = /[\p{L}\p{N}\p{M}_]+/gu
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * The distinct words of a JSON text's values, in lower case; keys say nothing about an example among others of its
 * dataset. What is written without spaces gives its pairs of characters.
 *
 * @param json  may be cut off; then it is read as plain text
 */
export function wordsOf(json: string): string[] {
  const words = new Set<string>()
  for (const text of textsOf(json)) {
    for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
      for (const part of partsOf(word)) words.add(part)
      if (words.size >= MAX_WORDS) return [...words].slice(0, MAX_WORDS)
    }
  }
  return [...words]
}

function partsOf(word: string): string[] {
  if (!UNSPACED.test(word)) return [[...word].slice(0, MAX_WORD_LENGTH).join('')]
  const signs = [...word]
  return signs.length === 1 ? signs : signs.slice(1).map((sign, at) => signs[at]! + sign)
}

/** Strings and numbers, however deep. */
function textsOf(json: string): string[] {
  const texts: string[] = []
  let open: unknown[]
  try {
    open = [JSON.parse(json)]
  } catch {
    return [json]
  }
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'number') texts.push(String(value))
    else if (typeof value === 'object' && value !== null) open.push(...Object.values(value).reverse())
  }
  return texts
}
