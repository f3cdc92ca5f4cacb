import { FilterError } from './error.ts'
import { FILTER_LIMITS, type FilterLimits, limitExceeded } from './limits.ts'
import { shown, type Token, tokensOf } from './tokens.ts'

/** What was written, before anybody asks whether it makes sense. */
export type Node =
  | {
      readonly kind: 'call'
      readonly name: string
      readonly args: readonly Node[]
      readonly at: number
      /** Just behind its closing bracket. */
      readonly end: number
    }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | {
      readonly kind: 'value'
      readonly value: string | number | boolean | null
      /** A number as it was written, when JavaScript prints it in another way. */
      readonly written?: string
      readonly at: number
    }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly at: number }

export type CallNode = Extract<Node, { kind: 'call' }>

const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null, none: null }

/**
 * Reads the calls of a filter; several side by side are meant as one `and`. Takes time linear in the text, and stops at
 * the first limit that is passed.
 *
 * @returns nothing for a blank text
 * @throws FilterError
 */
export function readSyntax(text: string, limits: FilterLimits = FILTER_LIMITS): CallNode[] {
  if (text.length > limits.length) throw new FilterError(limits.length, limitExceeded('length', text.length, limits))
  const tokens = tokensOf(text)
  let token = tokens.next()
  let depth = 0
  const found = { clauses: 0, values: 0 }

  /** Takes the token that was looked at. */
  const take = (): Token => {
    const taken = token
    if (taken.kind !== 'end') token = tokens.next()
    return taken
  }
  const isAtEnd = () => token.kind === 'end'
  const isMark = (mark: string) => token.kind === 'mark' && token.text === mark
  const expect = (mark: string, inside: string): Token => {
    if (!isMark(mark)) throw new FilterError(token.at, `found ${named(token)}, expected "," or "${mark}" ${inside}`)
    return take()
  }
  const count = (what: 'clauses' | 'values', at: number) => {
    found[what]++
    if (found[what] > limits[what]) throw new FilterError(at, limitExceeded(what, found[what], limits))
  }

  /** Arguments or items up to a closing mark, and where that stands. */
  function listUntil(mark: ')' | ']', inside: string): { readonly items: Node[]; readonly closedAt: number } {
    if (++depth > limits.depth) throw new FilterError(token.at, limitExceeded('depth', depth, limits))
    const items: Node[] = []
    while (!isMark(mark)) {
      if (mark === ']') count('values', token.at)
      if (mark === ')' && items.length > limits.clauses)
        throw new FilterError(token.at, limitExceeded('clauses', items.length, limits))
      items.push(readNode())
      if (!isMark(',')) break
      take()
      if (isMark(mark)) throw new FilterError(token.at, `found "${mark}", expected another argument after ","`)
    }
    const { at: closedAt } = expect(mark, inside)
    depth--
    return { items, closedAt }
  }

  function readNode(): Node {
    const first = take()
    const { at } = first
    if (first.kind === 'string') return { kind: 'value', value: first.text, at }
    if (first.kind === 'number') {
      const value = readNumber(first)
      return { kind: 'value', value, at, ...(String(value) !== first.text && { written: first.text }) }
    }
    if (first.kind === 'mark' && first.text === '[')
      return { kind: 'list', items: listUntil(']', 'of this list').items, at }
    if (first.kind !== 'name') throw new FilterError(at, `found ${named(first)}, expected a field, a value or a call`)
    if (isMark('(')) {
      count('clauses', at)
      take()
      const { items, closedAt } = listUntil(')', `of ${shown(first.text)}(…)`)
      return { kind: 'call', name: first.text, args: items, at, end: closedAt + 1 }
    }
    const constant = first.text.toLowerCase()
    if (Object.hasOwn(CONSTANTS, constant)) return { kind: 'value', value: CONSTANTS[constant]!, at }
    return { kind: 'name', name: first.text, at }
  }

  const calls: CallNode[] = []
  while (!isAtEnd()) {
    const node = readNode()
    if (node.kind !== 'call') throw new FilterError(node.at, 'expected a call such as eq(name, "my_chain")')
    calls.push(node)
    if (isMark(',')) {
      take()
      if (isAtEnd()) throw new FilterError(token.at, 'found the end, expected another call after ","')
    } else if (!isAtEnd()) {
      throw new FilterError(token.at, `found ${named(token)}, expected the end of the filter`)
    }
  }
  return calls
}

/** JSON and SQL know no infinity, so a number that is too large to be one is refused. */
function readNumber({ text, at }: Token): number {
  const number = Number(text)
  if (Number.isFinite(number)) return number
  throw new FilterError(at, `${shown(text)} is too large: numbers go up to ${Number.MAX_VALUE}`)
}

function named(token: Token): string {
  return token.kind === 'end' ? 'the end of the filter' : JSON.stringify(shown(token.text))
}
