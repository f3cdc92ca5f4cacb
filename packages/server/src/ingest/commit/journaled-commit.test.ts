import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '@touchstone/contract'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { StoreFailure, toStoreFailure } from '../../storage/analytics/store-failure.ts'
import { openJournal } from '../../storage/journal/index.ts'
import { createJournaledCommit, type JournaledCommit, type JournaledCommitOptions } from './journaled-commit.ts'

interface Item {
  readonly tenant: string
  readonly text: string
  /** Answered after it is stored. */
  readonly isDirect?: boolean
}

const root = mkdtempSync(join(tmpdir(), 'touchstone-journaled-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A store that keeps the order of what it was given; a test makes it wait or fail. */
function aStore() {
  const stored: string[] = []
  const blocks: number[] = []
  const store = { stored, blocks, before: async (_items: readonly Item[]) => {}, problems: new Map<string, string>() }
  const commit = async (items: readonly Item[]) => {
    await store.before(items)
    blocks.push(items.length)
    // What is applied again gives the same rows.
    stored.push(...items.map(({ text }) => text).filter((text) => !stored.includes(text)))
    return new Map(
      items.flatMap((item) => (store.problems.has(item.text) ? [[item, store.problems.get(item.text)!]] : [])),
    )
  }
  return Object.assign(store, { commit })
}

const opened: JournaledCommit<Item>[] = []
afterEach(async () => {
  for (const group of opened.splice(0)) await group.close()
})

let directories = 0
async function open(
  store: ReturnType<typeof aStore>,
  options: Partial<JournaledCommitOptions<Item>> = {},
  directory = join(root, String(++directories)),
) {
  const { journal, records } = await openJournal(directory)
  const refused: [string, string][] = []
  const group = createJournaledCommit<Item>({
    journal,
    recovered: records.map(({ number, body }) => ({ number, items: JSON.parse(body.toString()) as Item[] })),
    encode: (items) => Buffer.from(JSON.stringify(items)),
    isJournaled: (item) => !item.isDirect,
    tenantOf: ({ tenant }) => tenant,
    measure: ({ text }) => text.length,
    commit: store.commit,
    keepRefused: async (problems) => {
      for (const [{ text }, problem] of problems) refused.push([text, problem])
    },
    maxAgeMs: 3_600_000, // never by itself
    ...options,
  })
  opened.push(group)
  return Object.assign(group, { refused, directory, journal })
}

const items = (...texts: string[]): Item[] => texts.map((text) => ({ tenant: 'acme', text }))
const direct = (text: string): Item => ({ tenant: 'acme', text, isDirect: true })

/** A clock that only the pauses of the writer move. */
function virtualTime(endsAtMs: number, end = () => {}) {
  let nowMs = 0
  const sleep = async (ms: number) => {
    nowMs += ms
    if (nowMs >= endsAtMs) end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { time: { now: () => nowMs, sleep }, maxReadWaitMs: 2 * endsAtMs }
}

/** A promise that a test settles. */
function aGate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

describe('acknowledging', () => {
  it('does not wait for the store', async () => {
    const store = aStore()
    const group = await open(store)
    await group.submit(items('a', 'b'))
    expect(store.stored).toEqual([])
    expect(group.isSettled).toBe(false)
    await group.settled()
    expect(store.stored).toEqual(['a', 'b'])
    expect(group.isSettled).toBe(true)
  })

  it('stores the items of many requests as one block', async () => {
    const store = aStore()
    const group = await open(store)
    for (const text of ['a', 'b', 'c']) await group.submit(items(text))
    await group.settled()
    expect(store.blocks).toEqual([3])
  })

  it('stores a block that is large enough without any reader', async () => {
    const store = aStore()
    const group = await open(store, { groupRows: 2 })
    await group.submit(items('a'))
    await group.submit(items('b'))
    await vi.waitFor(() => expect(store.stored).toEqual(['a', 'b']), { interval: 1, timeout: 15_000 })
  })

  it('stores a small block after its time', async () => {
    const store = aStore()
    const group = await open(store, { maxAgeMs: 1 })
    await group.submit(items('a'))
    await vi.waitFor(() => expect(store.stored).toEqual(['a']), { interval: 1, timeout: 15_000 })
  })

  it('waits for the store with items that are not journaled, after what came before them', async () => {
    const store = aStore()
    store.problems.set('direct', 'there is no such record')
    const group = await open(store)
    await group.submit(items('a'))
    const asked = direct('direct')
    expect(await group.submit([asked])).toEqual(new Map([[asked, 'there is no such record']]))
    expect(store.stored).toEqual(['a', 'direct'])
    expect(group.refused).toEqual([])
  })

  it('waits while too much is not stored, and refuses what is over the limit of waiting requests', async () => {
    const store = aStore()
    const gate = aGate()
    store.before = () => gate.passed
    const group = await open(store, { groupRows: 1, maxUnappliedRows: 2, maxWaitingRows: 3 })
    await group.submit(items('a', 'b'))
    let isAcknowledged = false
    const third = group.submit(items('c')).then(() => {
      isAcknowledged = true
    })
    await expect(group.submit(items('d'))).rejects.toThrow(/3 runs are waiting/)
    expect(isAcknowledged).toBe(false)
    gate.open()
    await third
    await group.settled()
    expect(store.stored).toEqual(['a', 'b', 'c'])
  })
})

describe('a journal that cannot be written', () => {
  it('refuses the request with what to do, and counts nothing of it', async () => {
    const store = aStore()
    const { journal } = await openJournal(join(root, 'full'), { keepFreeBytes: Number.MAX_SAFE_INTEGER })
    const depths: number[] = []
    const group = await open(store, { journal, onDepth: (rows) => depths.push(rows) })
    const refusal = await group.submit(items('a', 'b')).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 10 })
    expect(String(refusal)).toMatch(/disk .* Nothing of this request was stored; free space and send it again/)
    expect(depths.at(-1)).toBe(0)
    await group.settled()
    expect(store.stored).toEqual([])
  })
})

describe('reading', () => {
  it('waits for the writes of its own workspace only', async () => {
    const store = aStore()
    const gate = aGate()
    store.before = () => gate.passed
    const group = await open(store)
    await group.submit(items('a'))
    await group.settled(['other']) // would not return
    let isRead = false
    const read = group.settled(['acme']).then(() => {
      isRead = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isRead).toBe(false)
    gate.open()
    await read
    expect(store.stored).toEqual(['a'])
  })

  it('fails with the reason while the store fails, and works again after it', async () => {
    const store = aStore()
    let isBroken = true
    store.before = async () => {
      if (isBroken) throw new ApiError('UNAVAILABLE', 'The column store cannot write: its disk is full.')
    }
    const group = await open(store, { maxReadWaitMs: 1 })
    await group.submit(items('a'))
    await expect(group.settled()).rejects.toThrow(/in the journal but cannot be read yet: .* disk is full/)
    await expect(group.submit([direct('x')])).rejects.toThrow(/disk is full/)
    isBroken = false
    await vi.waitFor(() => group.settled(), { timeout: 20_000 })
    expect(store.stored).toEqual(['a'])
  })

  it('is held back with acknowledgements while a snapshot is made', async () => {
    const store = aStore()
    const group = await open(store)
    await group.submit(items('before'))
    let isAcknowledged = false
    const during = await group.hold(async () => {
      const later = group.submit(items('after')).then(() => {
        isAcknowledged = true
      })
      // Pause: an acknowledgement that comes too early would come in this time.
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect([isAcknowledged, store.stored]).toEqual([false, ['before']])
      return { later }
    })
    await during.later
    expect(isAcknowledged).toBe(true)
  })
})

describe('an item that the store refuses after it was acknowledged', () => {
  it('is kept and reported, and its neighbors are stored', async () => {
    const store = aStore()
    store.problems.set('bad', 'too large a number')
    const group = await open(store)
    await group.submit(items('a', 'bad', 'b'))
    await group.settled()
    expect(group.refused).toEqual([['bad', 'too large a number']])
  })

  it('does not hold up others when the engine fails on it every time', async () => {
    const store = aStore()
    store.before = async (block) => {
      if (block.some(({ text }) => text === 'poison')) throw new Error('LOGICAL_ERROR')
    }
    const group = await open(store)
    for (const texts of [['a'], ['b', 'poison', 'c'], ['d']]) await group.submit(items(...texts))
    await vi.waitFor(() => group.settled(), { timeout: 20_000 })
    expect(store.stored).toEqual(['a', 'b', 'c', 'd'])
    expect(group.refused).toEqual([['poison', 'LOGICAL_ERROR']])
  }, 30_000)

  it('is not suspected while the store lacks something, however often it fails', async () => {
    const store = aStore()
    let isLacking = true
    store.before = async (block) => {
      if (isLacking && block.some(({ text }) => text === 'first')) throw new StoreFailure('resources', 'no memory')
    }
    const group = await open(
      store,
      virtualTime(60_000, () => (isLacking = false)),
    )
    for (const text of ['first', 'second', 'third']) await group.submit(items(text))
    await group.settled()
    expect(store.stored).toEqual(['first', 'second', 'third'])
    expect(group.refused).toEqual([])
  })

  it('is not suspected for a failure of the relational store', async () => {
    const store = aStore()
    let isLost = true
    store.before = async (block) => {
      const cause = Object.assign(new Error('Connection terminated'), { code: '57P01' })
      if (isLost && block.some(({ text }) => text === 'first')) throw new Error('query failed', { cause })
    }
    const group = await open(
      store,
      virtualTime(60_000, () => (isLost = false)),
    )
    for (const text of ['first', 'second', 'third']) await group.submit(items(text))
    await group.settled()
    expect(group.refused).toEqual([])
  })

  it('is not suspected while the store accepts nothing, whatever the error is', async () => {
    const store = aStore()
    let isBroken = true
    store.before = async () => {
      if (isBroken) throw new Error('an error of no known class')
    }
    const group = await open(
      store,
      virtualTime(60_000, () => (isBroken = false)),
    )
    for (const text of ['a', 'b', 'c', 'd', 'e']) await group.submit(items(text, `${text}2`))
    await group.settled()
    expect(store.stored).toHaveLength(10)
    expect(group.refused).toEqual([])
  })

  it('does not change the order of the items with its key', async () => {
    const store = aStore()
    const given: string[] = []
    let failures = 0
    store.before = async (block) => {
      if (block.some(({ text }) => text === 'x1') && ++failures < 5) throw new Error('LOGICAL_ERROR')
      given.push(...block.map(({ text }) => text))
    }
    const group = await open(store, {
      keyOf: ({ text }) => text[0],
      ...virtualTime(60_000),
    })
    for (const text of ['x1', 'y1', 'x2', 'y2']) await group.submit(items(text))
    await group.settled()
    expect(group.refused).toEqual([])
    expect(given.filter((text) => text.startsWith('x'))).toEqual(['x1', 'x2'])
    expect(given.lastIndexOf('y1')).toBeLessThan(given.lastIndexOf('y2'))
  })

  it('goes on in smaller parts when the store has too little memory for a block', async () => {
    const store = aStore()
    store.before = async (block) => {
      const cause = Object.assign(new Error('Memory limit exceeded'), { code: '241' })
      if (block.length > 3) throw toStoreFailure(cause)
    }
    const group = await open(store, virtualTime(60_000))
    await group.submit(items('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'))
    await group.settled()
    expect(store.stored.join('')).toBe('abcdefgh')
    expect(store.blocks).toEqual([2, 2, 2, 2])
  })

  it('stays in the journal when it cannot be kept', async () => {
    const store = aStore()
    store.problems.set('bad', 'too large a number')
    let attempts = 0
    const keepRefused = async () => {
      if (++attempts < 3) throw new Error('the disk is full')
    }
    const group = await open(store, { keepRefused })
    await group.submit(items('bad'))
    await group.settled()
    expect(attempts).toBe(3)
  })
})

describe('starting again', () => {
  it('stores what a killed process had acknowledged, before anything new', async () => {
    const killed = await open(aStore())
    await killed.submit(items('a', 'b'))
    await killed.submit(items('c'))
    const store = aStore()
    const group = await open(store, {}, killed.directory)
    await group.submit(items('d'))
    await group.settled()
    expect(store.stored).toEqual(['a', 'b', 'c', 'd'])
  })

  it('stores nothing again that a reader may have seen', async () => {
    const killed = await open(aStore())
    await killed.submit(items('seen'))
    await killed.settled()
    await killed.submit(items('not yet'))
    const store = aStore()
    const group = await open(store, {}, killed.directory)
    await group.settled()
    expect(store.stored).toEqual(['not yet'])
  })

  it('finds nothing to do after a regular end', async () => {
    const store = aStore()
    const first = await open(store)
    await first.submit(items('a'))
    await first.close()
    opened.pop()
    expect(store.stored).toEqual(['a'])
    const again = await open(store, {}, first.directory)
    expect(again.isSettled).toBe(true)
    await expect(first.submit(items('b'))).rejects.toThrow(/stopping/)
  })
})
