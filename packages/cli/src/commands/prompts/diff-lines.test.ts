import { describe, expect, it } from 'vitest'
import { diffLines, printDiff } from './diff-lines.ts'

const diff = (before: string, after: string) => diffLines(before, after).map(({ sign, text }) => sign + text)

describe('the difference between two texts', () => {
  it.each([
    ['a\nb\n', 'a\nb\n', [' a', ' b']],
    ['', 'a\n', ['+a']],
    ['a\n', '', ['-a']],
    ['a\nb\nc\n', 'a\nx\nc\n', [' a', '-b', '+x', ' c']],
    ['a\nb\nc\nd\n', 'b\nd\n', ['-a', ' b', '-c', ' d']],
    ['a\na\n', 'a\na\na\n', [' a', ' a', '+a']],
    ['a\na\na\n', 'a\n', [' a', '-a', '-a']],
    ['a', 'a\n', [' a']],
  ])('of %j and %j', (before, after, lines) => {
    expect(diff(before, after)).toEqual(lines)
  })

  it('leads from the one to the other, whatever they are', () => {
    for (let round = 0; round < 300; round++) {
      const some = () => Array.from({ length: round % 12 }, () => 'abc'[Math.floor(Math.random() * 3)]).join('\n')
      const [before, after] = [some(), some()]
      const lines = diffLines(before, after)
      const side = (without: string) => lines.filter(({ sign }) => sign !== without).map(({ text }) => text)
      expect([side('+').join('\n'), side('-').join('\n')]).toEqual([before, after])
    }
  })

  it('is found at once for what is all different', () => {
    const many = (word: string) => Array.from({ length: 10_000 }, (_, at) => `${word}${at}`).join('\n')
    expect(diffLines(many('a'), many('b'))).toHaveLength(20_000)
  })

  it('is printed with three lines around it', () => {
    const before = Array.from({ length: 30 }, (_, at) => `l${at}`)
    const after = before.with(5, 'x').with(20, 'y')
    const printed = printDiff(diffLines(before.join('\n'), after.join('\n')))
    expect(printed.split('\n')).toEqual([
      ' l2',
      ' l3',
      ' l4',
      '-l5',
      '+x',
      ' l6',
      ' l7',
      ' l8',
      '…',
      ' l17',
      ' l18',
      ' l19',
      '-l20',
      '+y',
      ' l21',
      ' l22',
      ' l23',
    ])
    expect(printDiff(diffLines('a\nb', 'a\nb'))).toBe('')
  })
})
