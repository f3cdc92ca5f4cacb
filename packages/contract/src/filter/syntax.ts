import { FilterError } from './error.ts'
import { readTokens, type Token } from './tokens.ts'

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
  | { readonly kind: 'value'; readonly value: string | number | boolean | null; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly at: number }

export type CallNode = Extract<Node, { kind: 'call' }>

/** Nesting beyond this is refused: it helps nobody and costs the stack. */
const MAX_DEPTH = 100

const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null, none: null }

/**
 * Reads the calls of a filter; several side by side are meant as one `and`.
 *
 * @returns nothing for a blank text
 * @throws FilterError
 */
export function readSyntax(text: string): CallNode[] {
  const tokens = readTokens(text)
  let next = 0
  let depth = 0

  const peek = () => tokens[next]!
  const isMark = (mark: string) => peek().kind === 'mark' && peek().text === mark
  const expect = (mark: string, inside: string) => {
    if (!isMark(mark)) throw new FilterError(peek().at, `found ${named(peek())}, expected "," or "${mark}" ${inside}`)
    next++
  }

  function listUntil(mark: string, inside: string): Node[] {
    if (++depth > MAX_DEPTH) throw new FilterError(peek().at, `nested deeper than ${MAX_DEPTH} levels`)
    const items: Node[] = []
    while (!isMark(mark)) {
      items.push(readNode())
      if (!isMark(',')) break
      next++
      if (isMark(mark)) throw new FilterError(peek().at, `found "${mark}", expected another argument after ","`)
    }
    expect(mark, inside)
    depth--
    return items
  }

  function readNode(): Node {
    const token = peek()
    const { at } = token
    next++
    if (token.kind === 'string') return { kind: 'value', value: token.text, at }
    if (token.kind === 'number') return { kind: 'value', value: Number(token.text), at }
    if (token.kind === 'mark' && token.text === '[') return { kind: 'list', items: listUntil(']', 'of this list'), at }
    if (token.kind !== 'name') throw new FilterError(at, `found ${named(token)}, expected a field, a value or a call`)
    if (isMark('(')) {
      next++
      const args = listUntil(')', `of ${token.text}(…)`)
      return { kind: 'call', name: token.text, args, at, end: tokens[next - 1]!.at + 1 }
    }
    const constant = token.text.toLowerCase()
    if (Object.hasOwn(CONSTANTS, constant)) return { kind: 'value', value: CONSTANTS[constant]!, at }
    return { kind: 'name', name: token.text, at }
  }

  const calls: CallNode[] = []
  while (peek().kind !== 'end') {
    const node = readNode()
    if (node.kind !== 'call') throw new FilterError(node.at, 'expected a call such as eq(name, "my_chain")')
    calls.push(node)
    if (peek().kind === 'end') break
    if (!isMark(',')) throw new FilterError(peek().at, `found ${named(peek())}, expected the end of the filter`)
    next++
    if (peek().kind === 'end') throw new FilterError(peek().at, 'found the end, expected another call after ","')
  }
  return calls
}

function named(token: Token): string {
  return token.kind === 'end' ? 'the end of the filter' : JSON.stringify(token.text)
}
