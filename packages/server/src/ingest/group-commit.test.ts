import { describe, expect, it, vi } from 'vitest'
import { createGroupCommit } from './group-commit.ts'

/** A store whose writes finish when the test says so. */
function gatedStore() {
  const blocks: (readonly string[])[] = []
  const gates: (() => void)[] = []
  const commit = async (items: readonly string[]) => {
    blocks.push(items)
    await new Promise<void>((open) => gates.push(open))
    return items.map((item) => (item === 'bad' ? 'it is bad' : undefined))
  }
  const begun = (count: number) => vi.waitFor(() => expect(blocks).toHaveLength(count), { interval: 1 })
  return { blocks, commit, begun, open: () => gates.shift()?.() }
}

const bytesOf = (item: string) => item.length
const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('group commit', () => {
  it('answers only when the items are stored, and gathers the next block meanwhile', async () => {
    const store = gatedStore()
    const group = createGroupCommit({ commit: store.commit, bytesOf })
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
    expect(await first).toEqual([undefined])
    await store.begun(2)
    expect(store.blocks[1]).toEqual(['b', 'bad', 'c'])
    store.open()
    expect(await Promise.all(others)).toEqual([[undefined, 'it is bad'], [undefined]])
  })

  it('lets those who were just answered into the next block', async () => {
    const store = gatedStore()
    const group = createGroupCommit({ commit: store.commit, bytesOf, gatherMs: 60_000 })
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

  it('splits by rows and bytes, and lets one huge item pass alone', async () => {
    const blocks: number[] = []
    const commit = async (items: readonly string[]) => {
      blocks.push(items.length)
      return items.map(() => undefined)
    }
    const group = createGroupCommit({ commit, bytesOf, groupRows: 3, groupBytes: 10 })
    await group.submit(['1', '2', '3', '4', 'x'.repeat(50), 'y'.repeat(9), 'zz'])
    expect(blocks).toEqual([3, 1, 1, 1, 1])
  })

  it('refuses with RATE_LIMITED over the bound, and takes more once there is room', async () => {
    const store = gatedStore()
    const group = createGroupCommit({ commit: store.commit, bytesOf, maxWaitingRows: 2 })
    const held = group.submit(['a', 'b'])
    await tick()
    await expect(group.submit(['c'])).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 })
    store.open()
    await held
    const next = group.submit(['c'])
    await store.begun(2)
    store.open()
    expect(await next).toEqual([undefined])
  })

  it('fails a block with its store and goes on with the next', async () => {
    let broken = true
    const commit = async (items: readonly string[]) => {
      if (broken) throw new Error('disk is full')
      return items.map(() => undefined)
    }
    const group = createGroupCommit({ commit, bytesOf })
    await expect(group.submit(['a'])).rejects.toThrow('disk is full')
    broken = false
    expect(await group.submit(['a'])).toEqual([undefined])
  })

  it('stores what waits before it closes, and then takes nothing', async () => {
    const store = gatedStore()
    const group = createGroupCommit({ commit: store.commit, bytesOf })
    const last = group.submit(['a'])
    const closing = group.close()
    await expect(group.submit(['b'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await store.begun(1)
    store.open()
    await closing
    expect(await last).toEqual([undefined])
  })
})
