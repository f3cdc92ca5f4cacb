import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'touchstone-make-folder-'))
})
afterAll(() => rm(root, { recursive: true }))

describe('a folder', () => {
  it('is created with its parents and its mode, and may exist', async () => {
    const path = join(root, 'a', 'b')
    await makeFolder(path, 0o700)
    await makeFolder(path, 0o700)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  it('is refused with the reason of the file system', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(makeFolder(join(root, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })
})
