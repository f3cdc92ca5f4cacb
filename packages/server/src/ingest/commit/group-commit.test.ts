import { describe, expect, it, vi } from 'vitest'
import { createGroupCommit } from './group-commit.ts'

/** A store whose writes finish when the test calls `open`. */
function manualStore() {
  const blocks: (readonly string[])[] = []
  const openers: (() => void)[] = []
  const commit = async (items: readonly string[]) => {
    blocks.push(items)
    await new Promise<void>((open) => openers.push(open))
    return new Map<string, string>(items.includes('bad') ? [['bad', 'it is bad']] : [])
  }
  const begun = (count: number) =>
    vi.waitFor(() => expect(blocks).toHaveLength(count), { interval: 1, timeout: 15_000 })
  return { blocks, commit, begun, open: () => openers.shift()?.() }
}

const measure = (item: string) => item.length
const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('group commit', () => {
  it('answers after the items are stored, and gathers the next block meanwhile', async () => {
    const store = manualStore()
    const group = createGroupCommit({ commit: store.commit, measure })
    let answered = false
    const first = group.submit(['a']).then((found) => {
      answered = true
      return found
    })
    await tick()
    const others = [group.submit(['b', 'bad']), group.submit(['c'])]
    await tick()
    expect(store.blocks).toEqual([['a']])
    expect(answered).toBe(false)
    store.open()
    expect(await first).toEqual(new Map())
    await store.begun(2)
    expect(store.blocks[1]).toEqual(['b', 'bad', 'c'])
    store.open()
    expect(await Promise.all(others)).toEqual([new Map([['bad', 'it is bad']]), new Map()])
  })

  it('waits for senders that were just answered before it writes the next block', async () => {
    const store = manualStore()
    const group = createGroupCommit({ commit: store.commit, measure, gatherMs: 60_000 })
    const first = group.submit(['a'])
    await tick()
    const other = group.submit(['b'])
    store.open()
    await first
    const again = group.submit(['c'])
    await store.begun(2)
    expect(store.blocks).toEqual([['a'], ['b', 'c']])
    store.open()
    await Promise.all([other, again])
    await group.close()
  })

  it('splits blocks by rows and bytes, and stores one huge item alone', async () => {
    const blocks: number[] = []
    const commit = async (items: readonly string[]) => {
      blocks.push(items.length)
      return new Map<string, string>()
    }
    const group = createGroupCommit({ commit, measure, groupRows: 3, groupBytes: 10 })
    await group.submit(['1', '2', '3', '4', 'x'.repeat(50), 'y'.repeat(9), 'zz'])
    expect(blocks).toEqual([3, 1, 1, 1, 1])
  })

  it('refuses items over the bound with RATE_LIMITED until waiting items are stored', async () => {
    const store = manualStore()
    const group = createGroupCommit({ commit: store.commit, measure, maxWaitingRows: 2 })
    const held = group.submit(['a', 'b'])
    await tick()
    await expect(group.submit(['c'])).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 })
    store.open()
    await held
    const next = group.submit(['c'])
    await store.begun(2)
    store.open()
    expect(await next).toEqual(new Map())
  })

  it('rejects the items of a failed block and stores the next block', async () => {
    let broken = true
    const commit = async () => {
      if (broken) throw new Error('disk is full')
      return new Map<string, string>()
    }
    const group = createGroupCommit({ commit, measure })
    await expect(group.submit(['a'])).rejects.toThrow('disk is full')
    broken = false
    expect(await group.submit(['a'])).toEqual(new Map())
  })

  it('stores waiting items before it closes, and refuses new items', async () => {
    const store = manualStore()
    const group = createGroupCommit({ commit: store.commit, measure })
    const last = group.submit(['a'])
    const closing = group.close()
    await expect(group.submit(['b'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await store.begun(1)
    store.open()
    await closing
    expect(await last).toEqual(new Map())
  })
})
