import { describe, expect, it } from 'vitest'
import { diffTurns, type Turn } from './diff-turns.ts'

const said = (line: string): Turn => ({ role: line.split(': ')[0]!, text: line.split(': ')[1]! })
const drawn = (a: string[], b: string[]) =>
  diffTurns(a.map(said), b.map(said)).map(({ kind, role }) => `${kind} ${role}`)

describe('comparing two conversations', () => {
  it('pairs equal messages first, then messages of the same role', () => {
    expect(
      drawn(
        ['system: Be kind.', 'user: Hello', 'assistant: Hi'],
        ['system: Be kind.', 'user: Good day', 'tool: found', 'assistant: Hi'],
      ),
    ).toEqual(['same system', 'changed user', 'added tool', 'same assistant'])
  })

  it('shows messages of only one side', () => {
    expect(drawn(['user: a', 'assistant: b', 'user: c'], ['user: c'])).toEqual([
      'removed user',
      'removed assistant',
      'same user',
    ])
  })
})
