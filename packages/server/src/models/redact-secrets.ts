import { BACKSLASH, EscapeDecoder, PERCENT, PercentDecoder, type UnitReader } from './decode-units.ts'
import { TextSearch } from './search-texts.ts'

/** Stands for a secret in what is shown. */
export const REDACTED = '********'

/** A shorter text is part of too many others to be searched for. */
const MIN_LENGTH = 6
/** Characters of base64 that are searched for; shorter secrets would be found in other texts. */
const MIN_BASE64 = 8
/** JSON inside JSON, and a URL inside a URL, are decoded up to this depth. */
const MAX_LEVELS = 4

/** Headers whose values are secrets in a request that is shown. */
const SECRET_HEADER = /authorization|cookie|secret|token|password|credential|api-?key|-key$|^key$|signature/i

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name)
}

/**
 * Removes secrets from texts of a provider that repeats them: as they are, with characters escaped as in JSON or a URL, and
 * as a part of a text in base64. Secrets that overlap are removed together.
 *
 * Both the secrets and the texts may be hostile, and this runs on the event loop: the work for each character is bounded,
 * whatever they contain. The text is decoded level by level while it is read, and each level is searched for all secrets.
 */
export class SecretRedactor {
  readonly #search: TextSearch | undefined

  constructor(secrets: readonly string[]) {
    const plain = secrets
      .flatMap((secret) => [secret, secret.replace(/^[\w-]+ /, '')])
      .filter((secret) => secret.length >= MIN_LENGTH)
    const forms = new Set(plain.flatMap((secret) => [secret, toBytes(secret), ...toBase64Forms(secret)]))
    this.#search = forms.size === 0 ? undefined : new TextSearch([...forms])
  }

  /** Steps of the search since the beginning: a measure of the work that does not depend on the machine. */
  get steps(): number {
    return this.#search?.steps ?? 0
  }

  redact(text: string): string {
    const stream = this.stream()
    return stream.push(text) + stream.end()
  }

  /** Redacts a text that comes in pieces, and keeps back the end of a piece that may be the beginning of a secret. */
  stream(): { push(text: string): string; end(): string } {
    return this.#search === undefined ? { push: (text) => text, end: () => '' } : new RedactedStream(this.#search)
  }
}

/** The bytes of a text, one in a unit, as the percents of a URL name them. */
const toBytes = (text: string) => Buffer.from(text).toString('latin1')

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

class RedactedStream {
  readonly #found = new Ranges()
  readonly #level: Level
  /** The text from here on is kept back. */
  #keptAt = 0
  #kept = ''
  #length = 0

  constructor(search: TextSearch) {
    this.#level = new Level(search, this.#found, { percents: MAX_LEVELS, escapes: MAX_LEVELS })
  }

  push(text: string): string {
    for (let at = 0; at < text.length; at++) {
      this.#level.take(text.charCodeAt(at), this.#length, this.#length + 1)
      this.#length++
    }
    this.#kept += text
    return this.#release(this.#level.findOpen(this.#length))
  }

  end(): string {
    this.#level.finish()
    return this.#release(this.#length)
  }

  /** The text before a position in which no secret can begin any more. */
  #release(openAt: number): string {
    const pieces: string[] = []
    let at = this.#keptAt
    const show = (until: number) => pieces.push(this.#kept.slice(at - this.#keptAt, until - this.#keptAt))
    for (const { start, end } of this.#found.takeUntil(openAt)) {
      show(start)
      pieces.push(REDACTED)
      at = end
    }
    // A secret that overlaps with the next one is part of the same gap.
    const until = Math.min(openAt, this.#found.first?.start ?? openAt)
    if (until > at) show(until)
    at = Math.max(at, until)
    if (at > this.#keptAt) this.#kept = this.#kept.slice(at - this.#keptAt)
    this.#keptAt = at
    return pieces.join('')
  }
}

interface Levels {
  readonly percents: number
  readonly escapes: number
}

/**
 * The text after some levels of decoding, searched for secrets. The levels below it begin with the first escape, until
 * which they would read the same; JSON is decoded after URLs.
 */
class Level implements UnitReader {
  #node = 0
  /** Where the last units begin that may belong to a secret. */
  #starts: number[] = []
  #percents: PercentDecoder<Level> | undefined
  #escapes: EscapeDecoder<Level> | undefined

  constructor(
    readonly search: TextSearch,
    readonly found: Ranges,
    readonly below: Levels,
  ) {}

  take(unit: number, start: number, end: number): void {
    const { percents, escapes } = this.below
    if (unit === PERCENT && percents > 0) {
      this.#percents ??= new PercentDecoder(this.#copy({ percents: percents - 1, escapes }))
    }
    if (unit === BACKSLASH && escapes > 0) {
      this.#escapes ??= new EscapeDecoder(this.#copy({ percents: 0, escapes: escapes - 1 }))
    }
    this.#percents?.take(unit, start, end)
    this.#escapes?.take(unit, start, end)
    this.#find(unit, start, end)
  }

  finish(): void {
    this.#percents?.finish()
    this.#escapes?.finish()
  }

  /** Where the first secret may begin that is not read to its end, if that is before a position; else the position. */
  findOpen(before: number): number {
    const open = this.search.openLength(this.#node)
    let first = open === 0 ? before : Math.min(before, this.#starts.at(-open) ?? before)
    for (const decoder of [this.#percents, this.#escapes]) {
      if (decoder !== undefined) first = decoder.next.findOpen(Math.min(first, decoder.openAt ?? first))
    }
    return first
  }

  #find(unit: number, start: number, end: number): void {
    this.#node = this.search.next(this.#node, unit)
    if (this.#node === 0) {
      if (this.#starts.length > 0) this.#starts = []
      return
    }
    this.#starts.push(start)
    const found = this.search.foundLength(this.#node)
    if (found > 0) this.found.add(this.#starts.at(-found) ?? start, end)
    // Not at each unit, which would move all others.
    const needed = this.search.length(this.#node)
    if (this.#starts.length > 2 * needed + 64) this.#starts = this.#starts.slice(-needed)
  }

  #copy(below: Levels): Level {
    const copy = new Level(this.search, this.found, below)
    copy.#node = this.#node
    copy.#starts = [...this.#starts]
    // Until now, the next level of a URL has the same text, and so have the levels of JSON below it.
    const escapes = this.#escapes
    copy.#escapes = escapes?.copy(escapes.next.#copy({ percents: 0, escapes: escapes.next.below.escapes }))
    return copy
  }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Parts of a text in their order; those that overlap are one. */
class Ranges {
  #ranges: Range[] = []

  get first(): Range | undefined {
    return this.#ranges[0]
  }

  add(start: number, end: number): void {
    // Nearly always the last ones; decoded levels find a secret a few units later.
    const later: Range[] = []
    let merged: Range = { start, end }
    for (let last = this.#ranges.pop(); last !== undefined; last = this.#ranges.pop()) {
      if (last.start >= merged.end) {
        later.push(last)
      } else if (last.end > merged.start) {
        merged = { start: Math.min(last.start, merged.start), end: Math.max(last.end, merged.end) }
      } else {
        this.#ranges.push(last)
        break
      }
    }
    this.#ranges.push(merged, ...later.reverse())
  }

  /** Takes out the ranges that end at a position or before. */
  takeUntil(position: number): Range[] {
    const at = this.#ranges.findIndex(({ end }) => end > position)
    return this.#ranges.splice(0, at < 0 ? this.#ranges.length : at)
  }
}
