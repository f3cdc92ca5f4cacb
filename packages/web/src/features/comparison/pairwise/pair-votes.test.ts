import { describe, expect, it } from 'vitest'
import { isSwapped, reduceVotes, startVoting, toSideScores, type VoteAction } from './pair-votes.ts'

describe('the sides of a pair', () => {
  const ids = Array.from({ length: 1000 }, (_, at) => `example-${at}`)

  it('are shuffled per row, about half of them swapped', () => {
    const swapped = ids.filter((id) => isSwapped('person', 'pair', id)).length
    expect(swapped).toBeGreaterThan(430)
    expect(swapped).toBeLessThan(570)
  })

  it('stay the same for one person, and differ between persons and comparisons', () => {
    const order = (person: string, pair: string) => ids.map((id) => isSwapped(person, pair, id))
    expect(order('a', 'p')).toEqual(order('a', 'p'))
    expect(order('a', 'p')).not.toEqual(order('b', 'p'))
    expect(order('a', 'p')).not.toEqual(order('a', 'q'))
  })
})

describe('a vote', () => {
  it.each([
    ['left', false, 1, 0],
    ['left', true, 0, 1],
    ['right', false, 0, 1],
    ['right', true, 1, 0],
    ['tie', true, 0.5, 0.5],
    ['both bad', false, 0, 0],
  ] as const)('for %s, with swapped sides %s, scores A %d and B %d', (vote, swapped, a, b) => {
    const scores = toSideScores(vote, swapped)
    expect([scores.a.score, scores.b.score]).toEqual([a, b])
  })

  it('tells two bad answers from a tie', () => {
    expect(toSideScores('both bad', false).a.value).toBe('both bad')
    expect(toSideScores('tie', false).b.value).toBe('tie')
  })
})

describe('a sitting of votes', () => {
  const run = (actions: readonly VoteAction[]) => actions.reduce(reduceVotes, startVoting(['x', 'y', 'z']))

  it('goes on with each vote, and a vote can be changed', () => {
    const left = { kind: 'vote', vote: 'left' } as const
    const session = run([left, left, { kind: 'move', by: -1 }, { kind: 'vote', vote: 'tie' }])
    expect(session.at).toBe(2)
    expect([...session.votes]).toEqual([
      ['x', 'left'],
      ['y', 'tie'],
    ])
    expect(run([{ kind: 'move', by: -1 }]).at).toBe(0)
    expect(run([left, { kind: 'finish' }]).at).toBe(3)
    expect(run([{ kind: 'finish' }, left]).votes.size).toBe(0)
  })

  it('repeats the pairs whose votes were not stored', () => {
    const session = run([
      { kind: 'vote', vote: 'left' },
      { kind: 'failed', exampleId: 'x' },
      { kind: 'finish' },
      { kind: 'repeat' },
    ])
    expect(session).toMatchObject({ queue: ['x'], at: 0 })
  })
})
