import { readText } from './json-extents.ts'

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** One member of the outermost object. */
export interface JsonMember extends ByteRange {
  readonly key: string
  /** The elements, when the value is a list and `cutLists` was set. */
  readonly elements: readonly ByteRange[]
}

export interface JsonScan {
  readonly kind: 'object' | 'array' | 'scalar'
  /** Members of the outermost object, in order, including duplicate keys. */
  readonly members: readonly JsonMember[]
}

/** The byte at which a text stops being JSON. */
export class JsonProblem extends Error {
  constructor(readonly position: number) {
    super(`The text is not valid JSON at byte ${position}.`)
  }
}

/** A text that is JSON, but of a shape that no client sends. */
export class JsonTooComplex extends Error {}

/** Runs, examples and manifests have far fewer members at their top level. */
const MAX_MEMBERS = 10_000
const MAX_ELEMENTS = 500_000
/** No reader, including ours, can parse deeper text. */
const MAX_DEPTH = 1_000_000

export interface ScanOptions {
  /** Also finds the elements of members that are lists. @default false */
  readonly cutLists?: boolean
  /** False only checks the text, with any number of members. @default true */
  readonly findMembers?: boolean
}

/**
 * Checks that bytes are one JSON text and finds the members of its outermost object, without building values, at about
 * 100 MB per second. The caller can do something else between the steps.
 *
 * @throws JsonProblem with the position at which the bytes stop being JSON
 * @throws JsonTooComplex for more than 10,000 members, 500,000 elements or 1,000,000 levels
 */
export function* scanJsonInSteps(
  bytes: Uint8Array,
  { cutLists = false, findMembers = true }: ScanOptions = {},
): Generator<undefined, JsonScan> {
  const scanner = new Scanner(bytes, cutLists, findMembers)
  while (!scanner.run(BYTES_PER_STEP)) yield
  return { kind: scanner.kind, members: scanner.members }
}

const BYTES_PER_STEP = 128 * 1024

/**
 * Finds where a text stops being JSON, without a pause: for texts up to a few hundred kilobytes.
 *
 * @returns its position in characters; undefined when the text is JSON
 */
export function findJsonProblem(text: string): number | undefined {
  const bytes = new TextEncoder().encode(text)
  try {
    new Scanner(bytes, false, false).run(bytes.length)
    return undefined
  } catch (error) {
    if (error instanceof JsonProblem) return readText(bytes, 0, error.position).length
    if (error instanceof JsonTooComplex) return undefined
    throw error
  }
}

/** The expected token; the order matters: values first, then keys. */
const Wants = { Value: 0, ValueOrEnd: 1, Key: 2, KeyOrEnd: 3, Colon: 4, CommaOrEnd: 5, Nothing: 6 } as const

class Scanner {
  kind: JsonScan['kind'] = 'scalar'
  readonly members: (JsonMember & { elements: ByteRange[] })[] = []
  private at = 0
  private wants: number = Wants.Value
  private depth = 0
  /** Per level, 1 for an object and 0 for a list. */
  private levels = new Uint8Array(1024)
  private stringStart = -1
  private key = ''
  private memberStart = 0
  private elementStart = 0
  private elements: ByteRange[] = []

  constructor(
    private readonly bytes: Uint8Array,
    private readonly cutLists: boolean,
    private readonly findMembers: boolean,
  ) {}

  /** Reads about that many bytes. @returns whether the text is complete */
  run(count: number): boolean {
    const { bytes } = this
    const until = Math.min(bytes.length, this.at + count)
    if (this.stringStart !== -1) this.readString(until)
    while (this.at < until && this.stringStart === -1) {
      const byte = bytes[this.at]!
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.at++
      else this.readToken(byte, until)
    }
    if (this.at < bytes.length) return false
    if (this.stringStart !== -1) throw new JsonProblem(this.stringStart)
    if (this.wants !== Wants.Nothing) throw new JsonProblem(bytes.length)
    return true
  }

  private readToken(byte: number, until: number): void {
    const { wants } = this
    if (byte === 0x22) {
      if (wants > Wants.KeyOrEnd) throw new JsonProblem(this.at)
      if (wants <= Wants.ValueOrEnd) this.beginValue()
      this.stringStart = this.at++
      this.readString(until)
    } else if (byte === 0x7d || byte === 0x5d) this.close(byte === 0x7d ? 1 : 0)
    else if (byte === 0x2c) {
      if (wants !== Wants.CommaOrEnd) throw new JsonProblem(this.at)
      this.at++
      this.wants = this.levels[this.depth - 1] === 1 ? Wants.Key : Wants.Value
    } else if (byte === 0x3a) {
      if (wants !== Wants.Colon) throw new JsonProblem(this.at)
      this.at++
      this.wants = Wants.Value
    } else {
      if (wants > Wants.ValueOrEnd) throw new JsonProblem(this.at)
      this.beginValue()
      if (byte === 0x7b || byte === 0x5b) this.open(byte === 0x7b ? 1 : 0)
      else {
        this.at = endOfScalar(this.bytes, this.at)
        this.endValue()
      }
    }
  }

  private open(isObject: 0 | 1): void {
    if (this.depth === MAX_DEPTH) throw new JsonTooComplex(`it is nested more than ${MAX_DEPTH} levels deep`)
    if (this.depth === this.levels.length) {
      const wider = new Uint8Array(this.depth * 2)
      wider.set(this.levels)
      this.levels = wider
    }
    if (this.depth === 0) this.kind = isObject === 1 ? 'object' : 'array'
    this.levels[this.depth++] = isObject
    this.at++
    this.wants = isObject === 1 ? Wants.KeyOrEnd : Wants.ValueOrEnd
  }

  private close(isObject: 0 | 1): void {
    const wantsEnd = isObject === 1 ? Wants.KeyOrEnd : Wants.ValueOrEnd
    const mayEnd = this.wants === Wants.CommaOrEnd || this.wants === wantsEnd
    if (!mayEnd || this.depth === 0 || this.levels[this.depth - 1] !== isObject) throw new JsonProblem(this.at)
    this.depth--
    this.at++
    this.endValue()
  }

  private beginValue(): void {
    if (this.depth === 1) this.memberStart = this.at
    else if (this.depth === 2 && this.cutLists) this.elementStart = this.at
  }

  private endValue(): void {
    this.wants = this.depth === 0 ? Wants.Nothing : Wants.CommaOrEnd
    if (this.depth === 1 && this.levels[0] === 1) this.keepMember()
    else if (this.depth === 2 && this.cutLists && this.levels[1] === 0) {
      if (this.elements.length === MAX_ELEMENTS)
        throw new JsonTooComplex(`a list has more than ${MAX_ELEMENTS} entries`)
      this.elements.push({ start: this.elementStart, end: this.at })
    }
  }

  private keepMember(): void {
    if (!this.findMembers) return
    if (this.members.length === MAX_MEMBERS) throw new JsonTooComplex(`it has more than ${MAX_MEMBERS} fields`)
    this.members.push({ key: this.key, start: this.memberStart, end: this.at, elements: this.elements })
    this.elements = []
  }

  private readString(until: number): void {
    const { bytes } = this
    let at = this.at
    for (;;) {
      if (at >= until) {
        this.at = at
        return
      }
      const byte = bytes[at]!
      if (byte === 0x22) break
      const length = byte === 0x5c ? escapeLength(bytes, at) : 1
      if (byte < 0x20 || length === 0) throw new JsonProblem(this.stringStart)
      at += length
    }
    this.at = at + 1
    const start = this.stringStart
    this.stringStart = -1
    if (this.wants === Wants.Key || this.wants === Wants.KeyOrEnd) {
      if (this.depth === 1) this.key = decodeText(bytes, start, this.at)
      this.wants = Wants.Colon
    } else this.endValue()
  }
}

function decodeText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > 1024) return '' // no known field has a name of this length
  return JSON.parse(readText(bytes, start, end)) as string
}

/** Bytes of an escape; 0 for an invalid one. */
function escapeLength(bytes: Uint8Array, at: number): number {
  const byte = bytes[at + 1]
  if (byte !== 0x75) return byte !== undefined && ESCAPED.has(byte) ? 2 : 0
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(bytes[digit])) return 0
  return 6
}

const ESCAPED = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)))

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | 0x20
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66)
}

/** A number may have more digits than a double, but not a megabyte of them. */
const MAX_SCALAR_BYTES = 64 * 1024
const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/

function endOfScalar(bytes: Uint8Array, start: number): number {
  let end = start
  while (end < bytes.length && isScalarByte(bytes[end]!)) end++
  if (end === start) throw new JsonProblem(start)
  if (end - start === 1 && isDigit(bytes[start]!)) return end
  if (end - start > MAX_SCALAR_BYTES) throw new JsonTooComplex(`a number has more than ${MAX_SCALAR_BYTES} digits`)
  const text = readText(bytes, start, end)
  const length = SCALAR.exec(text)?.[0].length ?? 0
  if (length < text.length) throw new JsonProblem(start + length)
  return end
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39

function isScalarByte(byte: number): boolean {
  return isDigit(byte) || (byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d || byte === 0x2e || isLetter(byte)
}

const isLetter = (byte: number) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
