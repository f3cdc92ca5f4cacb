import { describe, expect, it } from 'vitest'
import { rankMatch } from './rank-match.ts'

describe('a name is found', () => {
  it.each([
    ['support-bot', 'supp', 1],
    ['my support-bot', 'supp', 0.9],
    ['unsupported', 'supp', 0.7],
    ['settings Model prices', 'prices model', 0.5],
    ['support-bot', 'sbot', 0.2],
    ['action Ten rows up', 'supp', 0],
    ['support-bot', 'xyz', 0],
    ['anything', '', 1],
  ])('%s by %j: %d', (name, typed, rank) => {
    expect(rankMatch(name, typed)).toBe(rank)
  })
})
