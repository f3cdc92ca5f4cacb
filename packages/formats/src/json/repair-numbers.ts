import { endOfString, skipSpace } from './lex-json.ts'
import { finishSteps } from './steps.ts'

/** JSON text without NaN and Infinity. */
export interface RepairedJson {
  readonly text: string
  /** Members of the outermost object, or positions in the outermost list, that had them; '' for the value itself. */
  readonly fields: readonly string[]
}

/**
 * Writes null for `NaN`, `Infinity` and `-Infinity`, which JSON does not have: Python's `json.dumps` and JavaScript programs
 * that print numbers themselves send them. Only for text that is not JSON, so that JSON is read as fast as before.
 *
 * @param text  up to a few hundred kilobytes
 * @returns undefined when the text has none of them
 */
export function repairNumbers(text: string): RepairedJson | undefined {
  return finishSteps(repairNumbersInSteps(text))
}

const TOKENS_PER_STEP = 16_384

/** Like `repairNumbers`, for text of any length: the caller can do something else between the steps. */
export function* repairNumbersInSteps(text: string): Generator<undefined, RepairedJson | undefined> {
  const position = new Position(text)
  const fields = new Set<string>()
  const pieces: string[] = []
  let kept = 0
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    if (++tokens % TOKENS_PER_STEP === 0) yield
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      position.passText(at, end)
      at = end
      continue
    }
    const length = code === LETTER_N || code === LETTER_I || code === MINUS ? measureNonNumber(text, at) : 0
    if (length === 0) {
      position.pass(code)
      at++
      continue
    }
    fields.add(position.field)
    pieces.push(text.slice(kept, at), 'null')
    at += length
    kept = at
  }
  if (pieces.length === 0) return undefined
  pieces.push(text.slice(kept))
  return { text: pieces.join(''), fields: [...fields] }
}

const NON_NUMBERS = ['NaN', 'Infinity', '-Infinity'] as const

/** Characters of a whole word that is no number; 0 for any other text. */
function measureNonNumber(text: string, at: number): number {
  const word = NON_NUMBERS.find((one) => text.startsWith(one, at))
  if (word === undefined || isWordCode(text.charCodeAt(at - 1)) || isWordCode(text.charCodeAt(at + word.length)))
    return 0
  return word.length
}

const isWordCode = (code: number) =>
  (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code === 0x5f

/** The member of the outermost object, or the position in the outermost list, that is being read. */
class Position {
  private depth = 0
  private index = 0
  private key = ''
  private isList = false

  constructor(private readonly text: string) {}

  get field(): string {
    return this.isList ? String(this.index) : this.key
  }

  passText(start: number, end: number): void {
    if (this.depth !== 1 || this.isList || this.text.charCodeAt(skipSpace(this.text, end)) !== COLON) return
    const key = this.text.slice(start + 1, end - 1)
    this.key = key.length <= MAX_KEY ? key : ''
  }

  pass(code: number): void {
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (this.depth++ === 0) this.isList = code === OPEN_BRACKET
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.depth--
    else if (code === COMMA && this.depth === 1) this.index++
  }
}

/** Longer keys are not named. */
const MAX_KEY = 100

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const COLON = 0x3a
const LETTER_I = 0x49
const LETTER_N = 0x4e
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
