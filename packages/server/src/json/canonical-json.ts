import { ApiError } from '@touchstone/contract'
import { toExactValue } from '@touchstone/formats/exact-json'
import { endOfScalar, endOfString, skipSpace } from '@touchstone/formats/lex-json'

/** Filters an object when all its members are parsed: it may remove some; `false` removes the object itself. */
export type Prune = (members: Map<string, string>, key: string | undefined, parentKey: string | undefined) => boolean

/**
 * Returns the same text for all JSON texts with the same meaning: no white space, keys sorted by UTF-16 units and the
 * last of duplicates kept, strings escaped like `JSON.stringify` does, numbers by value (`1.0` is `1`). If every number
 * fits a double this is RFC 8785; the digits of other numbers are kept, so that different big integers stay different.
 *
 * The stack does not limit the depth, but a body may consist of brackets only, so the depth is limited explicitly.
 *
 * @param text  text that `JSON.parse` accepts
 * @throws ApiError INVALID_REQUEST when it is nested deeper than 10,000 levels
 */
export function canonicalJson(text: string, prune?: Prune): string {
  const open: Frame[] = []
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    const sign = text[at]
    let value: string | undefined
    if (sign === '{' || sign === '[') {
      if (open.length === MAX_DEPTH)
        throw new ApiError('INVALID_REQUEST', `It is nested deeper than ${MAX_DEPTH} levels.`)
      open.push({ members: sign === '{' ? new Map() : undefined, items: new Pieces(), key: undefined })
      at++
    } else if (sign === ',') {
      at++
    } else if (sign === '}' || sign === ']') {
      const closed = open.pop()!
      const isKept = closed.members === undefined || isWanted(closed.members, open, prune)
      value = isKept ? print(closed) : undefined
      at++
      if (!isKept) continue
    } else {
      const end = sign === '"' ? endOfString(text, at) : endOfScalar(text, at)
      value = canonicalScalar(text.slice(at, end))
      at = end
      const parent = open.at(-1)
      if (parent?.members !== undefined && parent.key === undefined) {
        parent.key = JSON.parse(value) as string
        at = skipSpace(text, at) + 1 // the colon
        continue
      }
    }
    if (value === undefined) continue
    const parent = open.at(-1)
    if (parent === undefined) return value
    add(parent, value)
  }
}

const MAX_DEPTH = 10_000

interface Frame {
  /** Of an object, printed. */
  readonly members: Map<string, string> | undefined
  /** Of an array, printed. */
  readonly items: Pieces
  /** Key of the next value. */
  key: string | undefined
}

function add(parent: Frame, value: string): void {
  if (parent.members === undefined) {
    parent.items.add(value)
    return
  }
  parent.members.set(parent.key!, value)
  parent.key = undefined
}

function isWanted(members: Map<string, string>, open: readonly Frame[], prune: Prune | undefined): boolean {
  const parent = open.at(-1)
  if (prune === undefined || prune(members, parent?.key, open.at(-2)?.key)) return true
  if (parent?.members === undefined) return true // removing an element would move the others
  parent.members.delete(parent.key!)
  parent.key = undefined
  return false
}

function print({ members, items }: Frame): string {
  if (members === undefined) return `[${items.joined()}]`
  const pieces = new Pieces()
  for (const key of [...members.keys()].sort(byUnits)) pieces.add(`${JSON.stringify(key)}:${members.get(key)!}`)
  return `{${pieces.joined()}}`
}

const SHORT = 256
const MAX_WAITING = 4096

/**
 * Texts to be joined by commas. Concatenation copies nothing until the whole is read, which keeps deep nesting linear,
 * but needs more memory than a short text: short texts are collected and copied together.
 */
class Pieces {
  private text = ''
  private waiting: string[] = []
  private length = 0

  add(piece: string): void {
    if (piece.length > SHORT) this.append(piece)
    else {
      this.waiting.push(piece)
      this.length += piece.length + 1
      if (this.length > MAX_WAITING) this.flush()
    }
  }

  joined(): string {
    this.flush()
    return this.text
  }

  private append(piece: string): void {
    this.flush()
    this.text = this.text === '' ? piece : `${this.text},${piece}`
  }

  private flush(): void {
    if (this.length === 0) return
    const piece = this.waiting.join(',')
    this.waiting = []
    this.length = 0
    this.append(piece)
  }
}

const byUnits = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

function canonicalScalar(text: string): string {
  if (text.startsWith('"')) return text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text
  if (text === 'true' || text === 'false' || text === 'null') return text
  return canonicalNumber(text)
}

function canonicalNumber(text: string): string {
  const printed = String(Number(text))
  if (printed === text) return text
  const exact = toExactValue(text) ?? text
  return toExactValue(printed) === exact ? printed : exact
}
