/** Stands for a secret in what is shown. */
export const REDACTED = '********'

/** A shorter text is part of too many others to be searched for. */
const MIN_LENGTH = 6
/** Characters of base64 that are searched for; shorter secrets would be found in other texts. */
const MIN_BASE64 = 8
/** Backslashes before an escape: JSON inside JSON doubles them. Bounded, because a hostile text may consist of them. */
const MAX_BACKSLASHES = 15
/** `%25` before an escape of a URL: one inside another. */
const MAX_PERCENTS = 3

/** Headers whose values are secrets in a request that is shown. */
const SECRET_HEADER = /authorization|cookie|secret|token|password|credential|api-?key|-key$|^key$|signature/i

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name)
}

/**
 * Removes secrets from texts of a provider that repeats them: as they are, with characters escaped as in JSON or a URL, and
 * as a part of a text in base64.
 */
export class SecretRedactor {
  readonly #forms: readonly string[]
  readonly #pattern: RegExp | undefined
  /** Characters of the longest form in which a secret is found. */
  readonly #maxLength: number

  constructor(secrets: readonly string[]) {
    const plain = secrets
      .flatMap((secret) => [secret, secret.replace(/^[\w-]+ /, '')])
      .filter((secret) => secret.length >= MIN_LENGTH)
    // Longer ones first: a key may be the beginning of another secret.
    this.#forms = [...new Set(plain.flatMap((secret) => [secret, ...toBase64Forms(secret)]))].sort(
      (a, b) => b.length - a.length,
    )
    const sources = this.#forms.map((form) => [...form].map(toPattern).join(''))
    this.#pattern = sources.length === 0 ? undefined : new RegExp(sources.join('|'), 'g')
    this.#maxLength = (this.#forms[0]?.length ?? 0) * (MAX_BACKSLASHES + 'u0000'.length)
  }

  redact(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED)
  }

  /** Redacts a text that comes in pieces, and keeps back the end of a piece that may be the beginning of a secret. */
  stream(): { push(text: string): string; end(): string } {
    let kept = ''
    return {
      push: (text) => {
        const redacted = this.redact(kept + text)
        const at = this.#findBeginning(redacted)
        kept = redacted.slice(at)
        return redacted.slice(0, at)
      },
      end: () => {
        const rest = kept
        kept = ''
        return rest
      },
    }
  }

  /** Where the end of a text begins a secret; the length of the text when it does not. */
  #findBeginning(text: string): number {
    for (let at = Math.max(0, text.length - this.#maxLength); at < text.length; at++) {
      if (this.#forms.some((form) => isBeginning(form, text, at))) return at
    }
    return text.length
  }
}

/** Base64 of a text that contains a secret: three forms for its position, and the alphabet of URLs. */
function toBase64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    // The first and the last character also hold bits of the text around it.
    const form = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
    if (form.length < MIN_BASE64) return []
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const toHex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0')
const toPercents = (character: string) => [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'))
const anyCase = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
const isWord = (character: string) => /\w/.test(character)

/** One character of a secret, as it is or escaped. */
function toPattern(character: string): string {
  const self = character.replace(/[^\w]/, (other) => `\\u${toHex(other)}`)
  const escaped = `\\\\{1,${MAX_BACKSLASHES}}u${anyCase(toHex(character))}`
  const percents = toPercents(character).map((hex) => `%(?:25){0,${MAX_PERCENTS}}${anyCase(hex)}`)
  const plain = isWord(character) ? self : `\\\\{0,${MAX_BACKSLASHES}}${self}`
  return `(?:${plain}|${escaped}|${percents.join('')})`
}

/** Whether a text from a position to its end is the beginning of a secret, and not the whole of it. */
function isBeginning(form: string, text: string, from: number): boolean {
  let at = from
  for (const character of form) {
    if (at >= text.length) return true
    const next = skip(character, text, at)
    if (next === undefined) return false
    if (next > text.length) return true
    at = next
  }
  return false
}

/** The position after a character in one of its forms; infinity when the text ends within; undefined for another one. */
function skip(character: string, text: string, from: number): number | undefined {
  if (text[from] === '%' && character !== '%') {
    const rest = text.slice(from, from + (1 + 2 * MAX_PERCENTS + 2) * toPercents(character).length).toLowerCase()
    return skipPercents(toPercents(character), rest, from, text.length)
  }
  if (text[from] !== '\\') return text[from] === character ? from + 1 : undefined
  let at = from
  while (text[at] === '\\' && at - from < MAX_BACKSLASHES) at++
  if (at === text.length) return Number.POSITIVE_INFINITY
  if (!isWord(character) && text[at] === character) return at + 1
  const wanted = `u${toHex(character)}`
  const found = text.slice(at, at + wanted.length).toLowerCase()
  if (found === wanted) return at + wanted.length
  if (at + found.length === text.length && wanted.startsWith(found)) return Number.POSITIVE_INFINITY
  return character === '\\' ? at : undefined
}

function skipPercents(bytes: readonly string[], rest: string, from: number, length: number): number | undefined {
  let at = 0
  for (const hex of bytes) {
    if (from + at === length) return Number.POSITIVE_INFINITY
    if (rest[at] !== '%') return undefined
    at++
    for (let level = 0; level < MAX_PERCENTS && rest.startsWith('25', at) && hex !== '25'; level++) at += 2
    const found = rest.slice(at, at + 2)
    if (found === hex) {
      at += 2
      continue
    }
    const isWithin = from + at + found.length === length && (hex.startsWith(found) || '25'.startsWith(found))
    return isWithin ? Number.POSITIVE_INFINITY : undefined
  }
  return from + at
}
