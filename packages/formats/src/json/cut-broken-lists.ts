import type { ByteRange } from '@touchstone/formats/scan-json'
import { readText } from './json-extents.ts'

/** A member of a broken object. */
export interface BrokenMember extends ByteRange {
  readonly key: string
  /** Its elements, when it is a list. */
  readonly elements: readonly ByteRange[]
}

/**
 * Finds the members of an object that is not JSON, and the elements of those that are lists, by quotes, brackets and
 * commas alone: one broken element does not hide its neighbors. Each element must be parsed on its own. The caller can do
 * something else between the steps.
 *
 * @returns undefined when quotes or brackets do not match, so that the end of an element is unknown
 */
export function* cutBrokenListsInSteps(bytes: Uint8Array): Generator<undefined, readonly BrokenMember[] | undefined> {
  const cutter = new Cutter(bytes)
  while (cutter.run(BYTES_PER_STEP)) yield
  return cutter.members()
}

const BYTES_PER_STEP = 128 * 1024
const MAX_DEPTH = 100_000
const MAX_ELEMENTS = 500_000

class Cutter {
  private readonly found: BrokenMember[] = []
  private readonly closers: number[] = []
  private at = 0
  private isBroken = false
  private key: string | undefined
  private text: ByteRange = { start: 0, end: 0 }
  private start = -1
  private elementStart = -1
  private elements: ByteRange[] = []

  constructor(private readonly bytes: Uint8Array) {}

  /** Reads about that many bytes. @returns whether there are more */
  run(count: number): boolean {
    const until = Math.min(this.bytes.length, this.at + count)
    while (this.at < until && !this.isBroken) this.step()
    return this.at < this.bytes.length && !this.isBroken
  }

  members(): readonly BrokenMember[] | undefined {
    return this.isBroken || this.closers.length > 0 ? undefined : this.found
  }

  private step(): void {
    const { at, closers } = this
    const byte = this.bytes[at] ?? 0
    if (byte <= 0x20) this.at++
    else if (byte === QUOTE) this.passText()
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.open(byte)
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.close(byte)
    else if (byte === COMMA) this.passComma()
    else if (byte === COLON && closers.length === 1 && this.key === undefined) {
      this.key = decode(this.bytes, this.text)
      this.at++
    } else {
      this.beginValue()
      this.at++
    }
  }

  private passText(): void {
    this.beginValue()
    const start = this.at
    let end = this.bytes.indexOf(QUOTE, start + 1)
    while (end !== -1 && isEscaped(this.bytes, end)) end = this.bytes.indexOf(QUOTE, end + 1)
    if (end === -1) this.isBroken = true
    else this.at = end + 1
    this.text = { start, end: this.at }
  }

  private beginValue(): void {
    const depth = this.closers.length
    if (depth === 0) this.isBroken = true // text around the object
    if (depth === 1 && this.key !== undefined && this.start === -1) this.start = this.at
    if (depth === 2 && this.elementStart === -1) this.elementStart = this.at
  }

  private open(byte: number): void {
    if (this.closers.length === 0) {
      if (byte !== OPEN_BRACE || this.at !== skipBlanks(this.bytes)) this.isBroken = true
    } else this.beginValue()
    if (this.closers.length === MAX_DEPTH) this.isBroken = true
    this.closers.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)
    this.at++
  }

  private close(byte: number): void {
    if (this.closers.pop() !== byte) this.isBroken = true
    if (this.closers.length === 1) this.endElement()
    if (this.closers.length === 0) this.endMember()
    this.at++
  }

  private passComma(): void {
    if (this.closers.length === 1) this.endMember()
    if (this.closers.length === 2) this.endElement()
    this.at++
  }

  private endElement(): void {
    if (this.elementStart !== -1) this.elements.push({ start: this.elementStart, end: this.at })
    if (this.elements.length > MAX_ELEMENTS) this.isBroken = true
    this.elementStart = -1
  }

  private endMember(): void {
    if (this.key !== undefined && this.start !== -1) {
      this.found.push({ key: this.key, start: this.start, end: this.at, elements: this.elements })
    }
    this.key = undefined
    this.start = -1
    this.elements = []
  }
}

const skipBlanks = (bytes: Uint8Array) => {
  let at = 0
  while ((bytes[at] ?? 0x21) <= 0x20) at++
  return at
}

function isEscaped(bytes: Uint8Array, quote: number): boolean {
  let at = quote
  while (bytes[at - 1] === BACKSLASH) at--
  return (quote - at) % 2 === 1
}

/** Only the keys of lists of runs matter; they are short. */
function decode(bytes: Uint8Array, { start, end }: ByteRange): string {
  if (end - start > 100) return ''
  return readText(bytes, start + 1, Math.max(end - 1, start + 1))
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
