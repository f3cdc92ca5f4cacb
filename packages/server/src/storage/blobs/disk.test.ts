import { mkdtemp, readdir, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDiskBlobs } from './disk.ts'

const newDirectory = () => mkdtemp(join(tmpdir(), 'touchstone-blobs-'))
const pathOf = (directory: string, key: string) => join(directory, key.slice(0, 2), key.slice(2, 4), key)

describe('blobs on a disk', () => {
  it('lists when each blob was put last', async () => {
    let now = 1_000_000
    const blobs = await openDiskBlobs(await newDirectory(), { clock: () => now })
    const keys = await Promise.all(Array.from({ length: 20 }, (_, at) => blobs.put(Buffer.alloc(at + 1, 'x'))))
    now = 2_000_000
    await blobs.touch(keys[3]!)
    await blobs.put(Buffer.alloc(5, 'x'))
    const listed = []
    for await (const some of blobs.list()) listed.push(...some)
    expect(listed.map(({ key }) => key)).toEqual([...keys].sort())
    expect(listed.filter(({ lastPutMs }) => lastPutMs === 2_000_000).map(({ size }) => size)).toHaveLength(2)
    expect(listed.reduce((sum, { size }) => sum + size, 0)).toBe(210)
  })

  it('puts the bytes back when they were put before the file was renamed', async () => {
    let now = 1_000
    const directory = await newDirectory()
    const key = await (await openDiskBlobs(directory, { clock: () => now })).put(Buffer.from('raced'))
    const path = pathOf(directory, key)
    const blobs = await openDiskBlobs(directory, {
      clock: () => now,
      // The order of events of a put that found the file just before the rename.
      afterSetAside: async () => {
        const [aside] = await readdir(dirname(path))
        expect(await blobs.get(key)).toEqual(Buffer.from('raced'))
        await rename(join(dirname(path), aside!), path)
        now = 9_000
        expect(await blobs.put(Buffer.from('raced'))).toBe(key)
        await rename(path, join(dirname(path), aside!))
      },
    })
    expect(await blobs.remove(key, 2_000)).toBe(false)
    expect(await blobs.get(key)).toEqual(Buffer.from('raced'))
    expect(await readdir(dirname(path))).toEqual([key])
  })

  it('leaves the bytes of a put that came after the file was renamed', async () => {
    const directory = await newDirectory()
    const bytes = Buffer.from('put again')
    const key = await (await openDiskBlobs(directory, { clock: () => 1_000 })).put(bytes)
    const other = await openDiskBlobs(directory, { clock: () => 9_000 })
    const blobs = await openDiskBlobs(directory, { afterSetAside: async () => void (await other.put(bytes)) })
    expect(await blobs.remove(key, 2_000)).toBe(true)
    expect(await blobs.get(key)).toEqual(bytes)
    expect(await readdir(dirname(pathOf(directory, key)))).toEqual([key])
  })

  it('continues a removal that was interrupted after the rename', async () => {
    const directory = await newDirectory()
    const bytes = Buffer.from('half removed')
    const dying = await openDiskBlobs(directory, {
      clock: () => 1_000,
      afterSetAside: () => Promise.reject(new Error('killed')),
    })
    const key = await dying.put(bytes)
    await expect(dying.remove(key, 2_000)).rejects.toThrow('killed')
    const blobs = await openDiskBlobs(directory)
    expect(await blobs.get(key)).toEqual(bytes)
    const listed = []
    for await (const some of blobs.list()) listed.push(...some)
    expect(listed).toEqual([{ key, size: bytes.length, lastPutMs: 1_000 }])
    expect(await blobs.remove(key, 2_000)).toBe(true)
    expect(await blobs.get(key)).toBeUndefined()
  })

  it('removes the files of interrupted writes, and no blob', async () => {
    const directory = await newDirectory()
    const blobs = await openDiskBlobs(directory)
    const key = await blobs.put(Buffer.from('whole'))
    await writeFile(`${pathOf(directory, key)}.0b0e`, 'half')
    expect(await blobs.removeLeftovers(0)).toBe(0)
    expect(await blobs.removeLeftovers(Date.now() + 60_000)).toBe(1)
    expect(await readdir(dirname(pathOf(directory, key)))).toEqual([key])
  })
})
