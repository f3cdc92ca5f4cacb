import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packStore, unpackStore } from './prepared-data.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'touchstone-prepared-'))

it('a packed store has the same files, empty folders and links, for its owner alone', async () => {
  const [dataDir, build, to] = [newFolder(), newFolder(), join(newFolder(), 'unpacked')]
  const store = join(dataDir, 'analytics')
  mkdirSync(join(store, 'deep/empty'), { recursive: true })
  writeFileSync(join(store, 'first'), Buffer.from([0, 255, 10]))
  writeFileSync(join(store, 'deep/second'), '')
  writeFileSync(join(store, 'deep/third'), 'third')
  symlinkSync('../deep', join(store, 'deep/link'))
  packStore('analytics', dataDir, build)
  await unpackStore('analytics', build, to)
  expect(readdirSync(to, { recursive: true }).sort()).toEqual(readdirSync(store, { recursive: true }).sort())
  expect([...readFileSync(join(to, 'first'))]).toEqual([0, 255, 10])
  expect(readFileSync(join(to, 'deep/second'), 'utf8')).toBe('')
  expect(readFileSync(join(to, 'deep/third'), 'utf8')).toBe('third')
  expect(readlinkSync(join(to, 'deep/link'))).toBe('../deep')
  expect(statSync(join(to, 'first')).mode & 0o777).toBe(0o600)
  expect(statSync(join(to, 'deep')).mode & 0o777).toBe(0o700)
})
