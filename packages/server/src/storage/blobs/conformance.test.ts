import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createBucket, s3Url } from '../../testing/test-s3.ts'
import { openDiskBlobs } from './disk.ts'
import type { Blobs } from './port.ts'
import { openS3Blobs } from './s3/open-s3.ts'

interface OpenOptions {
  readonly clock?: () => number
  /** Called when a removal has begun and nothing is decided yet. */
  readonly duringRemoval?: () => Promise<void>
}

/** Opens a new, empty store, once per process that uses it. */
type Store = () => Promise<(options?: OpenOptions) => Promise<Blobs>>

async function newDisk() {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-blobs-'))
  return ({ duringRemoval, ...options }: OpenOptions = {}) =>
    openDiskBlobs(directory, { ...options, ...(duringRemoval && { afterSetAside: duringRemoval }) })
}

const newS3 = (isVersioned: boolean) => async () => {
  const settings = await createBucket({ isVersioned })
  return ({ duringRemoval, ...options }: OpenOptions = {}) =>
    openS3Blobs(settings, { ...options, ...(duringRemoval && { afterMark: duringRemoval }) })
}

const stores: readonly (readonly [string, Store])[] = [
  ['a disk', newDisk],
  ...(s3Url === undefined
    ? []
    : ([
        ['S3', newS3(false)],
        ['S3 with versions', newS3(true)],
      ] as const)),
]

async function collect(blobs: Blobs) {
  const listed = []
  for await (const some of blobs.list()) listed.push(...some)
  return listed
}

describe.each(stores)('a blob store on %s', (_name, newStore) => {
  const open = async () => (await newStore())()

  it('returns the stored bytes, also of none and of many', async () => {
    const blobs = await open()
    const large = Buffer.alloc(5_000_000, 'large')
    for (const bytes of [Buffer.from([0, 255, 13, 10, 45, 45]), Buffer.alloc(0), large]) {
      const key = await blobs.put(bytes)
      expect(bytes.equals((await blobs.get(key)) ?? Buffer.from('nothing'))).toBe(true)
      const opened = (await blobs.open(key))!
      expect(opened).toMatchObject({ size: bytes.length, first: 0, last: bytes.length - 1 })
      expect(bytes.equals(await buffer(opened.bytes))).toBe(true)
    }
  })

  it.each([
    [{ first: 0, last: 0 }, '0', 0, 0],
    [{ first: 3, last: 5 }, '345', 3, 5],
    [{ first: 7 }, '789', 7, 9],
    [{ first: 8, last: 1_000_000 }, '89', 8, 9],
    [{ lastBytes: 2 }, '89', 8, 9],
    [{ lastBytes: 1_000_000 }, '0123456789', 0, 9],
  ])('reads the range %j', async (range, text, first, last) => {
    const blobs = await open()
    const opened = (await blobs.open(await blobs.put(Buffer.from('0123456789')), range))!
    expect((await buffer(opened.bytes)).toString()).toBe(text)
    expect(opened).toMatchObject({ size: 10, first, last })
  })

  it('refuses a range beyond the end', async () => {
    const blobs = await open()
    const key = await blobs.put(Buffer.from('0123456789'))
    await expect(blobs.open(key, { first: 10 })).rejects.toMatchObject({ name: 'UnsatisfiableRangeError', size: 10 })
  })

  it('stores identical bytes once, under the same key', async () => {
    const blobs = await open()
    const [one, two] = await Promise.all([blobs.put(Buffer.from('same')), blobs.put(Buffer.from('same'))])
    expect(one).toBe(two)
    expect(await collect(blobs)).toHaveLength(1)
  })

  it('finds nothing for an unknown key or for a path', async () => {
    const blobs = await open()
    for (const key of ['0'.repeat(64), '../../etc/passwd']) {
      expect(await blobs.get(key)).toBeUndefined()
      expect(await blobs.open(key)).toBeUndefined()
      expect(await blobs.has(key)).toBe(false)
      expect(await blobs.touch(key)).toBe(false)
      expect(await blobs.remove(key, Number.MAX_SAFE_INTEGER)).toBe(false)
    }
  })

  it('lists every blob in the order of keys, with its size', async () => {
    const blobs = await open()
    const keys = await Promise.all(Array.from({ length: 20 }, (_, at) => blobs.put(Buffer.alloc(at + 1, 'x'))))
    await blobs.touch(keys[3]!)
    await blobs.remove(keys[4]!, Date.now() + 60_000)
    const listed = await collect(blobs)
    expect(listed.map(({ key }) => key)).toEqual(keys.filter((key) => key !== keys[4]).sort())
    expect(listed.reduce((sum, { size }) => sum + size, 0)).toBe(205)
    for (const { lastPutMs } of listed) expect(Math.abs(lastPutMs - Date.now())).toBeLessThan(60_000)
  })

  it('keeps a blob that was put or touched at or after the moment of a removal', async () => {
    let now = 1_000
    const blobs = await (await newStore())({ clock: () => now })
    const key = await blobs.put(Buffer.from('a'))
    expect(await blobs.remove(key, 1_000)).toBe(false)
    now = 5_000
    expect(await blobs.touch(key)).toBe(true)
    expect(await blobs.remove(key, 5_000)).toBe(false)
    expect(await blobs.remove(key, 5_001)).toBe(true)
    expect(await blobs.has(key)).toBe(false)
    expect(await blobs.get(key)).toBeUndefined()
  })

  it('can store bytes again that were removed', async () => {
    const blobs = await open()
    for (let round = 0; round < 3; round++) {
      const key = await blobs.put(Buffer.from('again'))
      expect(await blobs.get(key)).toEqual(Buffer.from('again'))
      expect(await blobs.remove(key, Date.now() + 60_000)).toBe(true)
      expect(await collect(blobs)).toEqual([])
    }
  })

  it.each(['put', 'touch'] as const)(
    'keeps bytes whose %s by another process begins during a removal',
    async (kind) => {
      const openOne = await newStore()
      const bytes = Buffer.from('raced')
      const key = await (await openOne({ clock: () => 1_000 })).put(bytes)
      const other = await openOne({ clock: () => 9_000 })
      let racing: Promise<unknown> | undefined
      const blobs = await openOne({
        duringRemoval: async () => {
          racing = kind === 'put' ? other.put(bytes) : other.touch(key)
        },
      })
      const isRemoved = await blobs.remove(key, 2_000)
      const answer = await racing
      if (kind === 'put') expect(await other.get(key)).toEqual(bytes)
      // A touch may also come too late, but then it returns false.
      else expect([answer, await other.has(key)]).toEqual([!isRemoved, !isRemoved])
    },
  )

  it('never loses a put, whatever the order of puts and removals of several processes', async () => {
    const openOne = await newStore()
    const remover = await openOne()
    const putters = [await openOne(), await openOne()]
    for (let round = 0; round < 10; round++) {
      const bytes = Buffer.from(`round ${round}`)
      const key = await (await openOne({ clock: () => 1_000 })).put(bytes)
      await Promise.all([remover.remove(key, 2_000), ...putters.map((one) => one.put(bytes))])
      expect(await remover.get(key)).toEqual(bytes)
    }
  })

  it('removes nothing during a hold', async () => {
    const blobs = await open()
    const key = await blobs.put(Buffer.from('held'))
    const [release, releaseOther] = [await blobs.holdRemovals(), await blobs.holdRemovals()]
    expect(await blobs.remove(key, Number.MAX_SAFE_INTEGER)).toBe(false)
    release()
    expect(await blobs.remove(key, Number.MAX_SAFE_INTEGER)).toBe(false)
    releaseOther()
    expect(await blobs.remove(key, Number.MAX_SAFE_INTEGER)).toBe(true)
  })
})
