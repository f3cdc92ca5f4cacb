import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDiskBlobs } from './disk.ts'

const open = async () => openDiskBlobs(await mkdtemp(join(tmpdir(), 'touchstone-blobs-')))

it('gives back the bytes it stored', async () => {
  const blobs = await open()
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45])
  expect(await blobs.get(await blobs.put(bytes))).toEqual(bytes)
})

it('keeps the same bytes once, under the same key', async () => {
  const blobs = await open()
  const [one, two] = await Promise.all([blobs.put(Buffer.from('same')), blobs.put(Buffer.from('same'))])
  expect(one).toBe(two)
})

it('knows nothing of a key that was never stored, nor of a path', async () => {
  const blobs = await open()
  expect(await blobs.get('0'.repeat(64))).toBeUndefined()
  expect(await blobs.get('../../etc/passwd')).toBeUndefined()
})
