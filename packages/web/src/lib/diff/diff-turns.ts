import { type Alike, alignLists } from '../trace-compare/align-lists.ts'
import { diffText, type TextLine } from './diff-text.ts'

/** One message as text: who said it, and everything in it. */
export interface Turn {
  role: string
  text: string
}

export interface TurnPair {
  kind: 'same' | 'changed' | 'added' | 'removed'
  role: string
  lines: TextLine[]
}

/** Two conversations message by message: equal messages are paired first, then those of one role. */
export function diffTurns(a: readonly Turn[], b: readonly Turn[]): TurnPair[] {
  const numbers = new Map<string, number>()
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  const describe = ({ role, text }: Turn): Alike => ({ key: numberOf(role), shape: numberOf(`${role}\n${text}`) })
  const partner = alignLists(a.map(describe), b.map(describe))
  const pairs: TurnPair[] = []
  let next = 0
  const addUpTo = (end: number) => {
    for (; next < end; next++) pairs.push(alone(b[next]!, 'added'))
  }
  for (const [index, turn] of a.entries()) {
    const at = partner[index]!
    if (at === -1) {
      pairs.push(alone(turn, 'removed'))
      continue
    }
    addUpTo(at)
    next = at + 1
    const isSame = turn.text === b[at]!.text
    pairs.push({ kind: isSame ? 'same' : 'changed', role: turn.role, lines: diffText(turn.text, b[at]!.text) })
  }
  addUpTo(b.length)
  return pairs
}

function alone({ role, text }: Turn, kind: 'added' | 'removed'): TurnPair {
  return { kind, role, lines: text.split('\n').map((line) => ({ kind, pieces: [{ text: line, marked: false }] })) }
}
