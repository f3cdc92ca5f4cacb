import { expect, it } from 'vitest'
import { appendTo } from './append-to.ts'

it('adds items to the list of a key without copying it', () => {
  const lists = new Map<string, number[]>()
  appendTo(lists, 'a', 1)
  const first = lists.get('a')
  appendTo(lists, 'b', 2)
  appendTo(lists, 'a', 3)
  expect([...lists]).toEqual([
    ['a', [1, 3]],
    ['b', [2]],
  ])
  expect(lists.get('a')).toBe(first)
})
