import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lockDataDir } from './lock-data-dir.ts'

const newDir = () => mkdtempSync(join(tmpdir(), 'touchstone-lock-'))
const lockFile = (dataDir: string) => join(dataDir, 'touchstone.lock')
const startedAt = () => readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')[19]!

const failing = (code: string) => () => {
  throw Object.assign(new Error(`${code}: it failed`), { code })
}

describe('the lock of a data directory', () => {
  it('names the process that holds it, and is free once released', async () => {
    const dataDir = newDir()
    const unlock = await lockDataDir(dataDir)
    await expect(lockDataDir(dataDir)).rejects.toThrow(
      new RegExp(`in use by process ${process.pid} on host ${hostname()}, running since \\d{4}-.*--wait-for-data-dir`),
    )
    unlock()
    const unlockAgain = await lockDataDir(dataDir)
    unlockAgain()
  })

  it('leaves its file in place, empty, and readable for its own user alone', async () => {
    const dataDir = newDir()
    const unlock = await lockDataDir(dataDir)
    expect(statSync(lockFile(dataDir)).mode & 0o777).toBe(0o600)
    unlock()
    expect(readFileSync(lockFile(dataDir), 'utf8')).toBe('')
  })

  it.each([
    ['is empty', ''],
    ['is garbage', '\u0000\u0001{"pid":'],
    ['is JSON of another shape', '[1, 2]'],
    ['names a process of an old release that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' })],
    ['names an earlier process of the same number', JSON.stringify({ pid: process.ppid, startedAt: '1' })],
    [
      'names a living process that holds no lock',
      JSON.stringify({ pid: process.ppid, startedAt: '', host: 'elsewhere' }),
    ],
  ])('is taken when its file %s', async (_, content) => {
    const dataDir = newDir()
    writeFileSync(lockFile(dataDir), content)
    const unlock = await lockDataDir(dataDir)
    expect(JSON.parse(readFileSync(lockFile(dataDir), 'utf8')).pid).toBe(process.pid)
    unlock()
  })

  it.skipIf(process.platform !== 'linux')('respects a release without a kernel lock that still runs', async () => {
    const dataDir = newDir()
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const content = JSON.stringify({ pid: process.ppid, startedAt: started })
    writeFileSync(lockFile(dataDir), content)
    await expect(lockDataDir(dataDir)).rejects.toThrow(`in use by process ${process.ppid}.`)
    expect(readFileSync(lockFile(dataDir), 'utf8')).toBe(content)
  })

  it.skipIf(process.platform !== 'linux')('writes what an older release reads, which then keeps out', async () => {
    const dataDir = newDir()
    const unlock = await lockDataDir(dataDir)
    expect(JSON.parse(readFileSync(lockFile(dataDir), 'utf8'))).toMatchObject({
      pid: process.pid,
      startedAt: startedAt(),
    })
    unlock()
  })

  it('does not hold a file that was removed while it was being locked', async () => {
    const dataDir = newDir()
    let attempts = 0
    const unlock = await lockDataDir(dataDir, {
      waitMs: 5_000,
      tryLock: () => {
        if (attempts++ === 0) rmSync(lockFile(dataDir))
        return true
      },
    })
    expect(attempts).toBe(2)
    unlock()
  })

  it('waits for the holder up to the given time, and reports that once', async () => {
    const dataDir = newDir()
    const unlock = await lockDataDir(dataDir)
    const messages: string[] = []
    const waiting = lockDataDir(dataDir, {
      waitMs: 20_000,
      onWait: (message) => {
        messages.push(message)
        unlock()
      },
    })
    const unlockSecond = await waiting
    expect(messages).toEqual([expect.stringContaining(`in use by process ${process.pid}`)])
    unlockSecond()
  })

  it.each(['ENOLCK', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'])('refuses a file system that answers %s', async (code) => {
    const dataDir = newDir()
    await expect(lockDataDir(dataDir, { tryLock: failing(code), waitMs: 60_000 })).rejects.toThrow(
      new RegExp(`file system of the data directory .* cannot lock files \\(${code}\\).*local disk`),
    )
  })

  it('reports that a directory cannot be written', async () => {
    await expect(lockDataDir('/proc/self')).rejects.toThrow(/cannot be (written|locked)/)
  })
})
