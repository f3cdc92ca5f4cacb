import { parseExactJson } from './exact-json.ts'

/** Characters of a text that is read. */
const MAX_LENGTH = 1024 * 1024
const MAX_DEPTH = 100

/**
 * Reads what Python prints for dictionaries, lists, tuples, texts, numbers, `True`, `False` and `None`: instrumentations put
 * `str(value)` into attributes. Undefined for any other text, such as one with the name of a class.
 */
export function parsePythonLiteral(text: string): unknown {
  if (text.length > MAX_LENGTH || !/^\s*[[{]/.test(text)) return undefined
  const reader = new Reader(text)
  try {
    return reader.readWhole()
  } catch (error) {
    if (error instanceof NoLiteral) return undefined
    throw error
  }
}

class NoLiteral extends Error {}

const WORDS: readonly (readonly [string, unknown])[] = [
  ['None', null],
  ['True', true],
  ['False', false],
]
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' }

class Reader {
  private at = 0
  private depth = 0

  constructor(private readonly text: string) {}

  readWhole(): unknown {
    const value = this.readValue()
    if (this.peek() !== '') throw new NoLiteral()
    return value
  }

  /** The next character that is no space; '' at the end. */
  private peek(): string {
    while (/\s/.test(this.text.charAt(this.at))) this.at++
    return this.text.charAt(this.at)
  }

  private skip(character: string): void {
    if (this.peek() !== character) throw new NoLiteral()
    this.at++
  }

  private readValue(): unknown {
    const first = this.peek()
    if (first === "'" || first === '"') return this.readText(first)
    if (first === '{' || first === '[' || first === '(') {
      if (++this.depth > MAX_DEPTH) throw new NoLiteral()
      const value = first === '{' ? this.readDictionary() : this.readList(first === '[' ? ']' : ')')
      this.depth--
      return value
    }
    for (const [word, value] of WORDS) {
      if (!this.text.startsWith(word, this.at)) continue
      this.at += word.length
      return value
    }
    NUMBER.lastIndex = this.at
    const number = NUMBER.exec(this.text)?.[0]
    if (number === undefined) throw new NoLiteral()
    this.at += number.length
    return parseExactJson(number)
  }

  private readDictionary(): Record<string, unknown> {
    const entries: [string, unknown][] = []
    this.readEntries('}', () => {
      const key = this.readValue()
      this.skip(':')
      entries.push([typeof key === 'string' ? key : String(key), this.readValue()])
    })
    return Object.fromEntries(entries)
  }

  private readList(end: string): unknown[] {
    const list: unknown[] = []
    this.readEntries(end, () => list.push(this.readValue()))
    return list
  }

  private readEntries(end: string, readEntry: () => void): void {
    this.at++
    while (this.peek() !== end) {
      readEntry()
      if (this.peek() === ',') this.at++
      else if (this.peek() !== end) throw new NoLiteral()
    }
    this.at++
  }

  private readText(quote: string): string {
    const pieces: string[] = []
    for (this.at++; ; ) {
      const character = this.text.charAt(this.at++)
      if (character === '') throw new NoLiteral()
      if (character === quote) return pieces.join('')
      pieces.push(character === '\\' ? this.readEscape() : character)
    }
  }

  private readEscape(): string {
    const kind = this.text.charAt(this.at++)
    const known = ESCAPES[kind]
    if (known !== undefined) return known
    const digits = kind === 'x' ? 2 : kind === 'u' ? 4 : kind === 'U' ? 8 : 0
    const hex = this.text.slice(this.at, this.at + digits)
    const code = Number.parseInt(hex, 16)
    if (digits === 0 || !/^[\da-f]+$/i.test(hex) || hex.length < digits || code > 0x10ffff) throw new NoLiteral()
    this.at += digits
    return String.fromCodePoint(code)
  }
}
