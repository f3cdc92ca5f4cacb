import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closeDataDir, createDataDir } from './protect-data-dir.ts'

const modeOf = (path: string) => statSync(path).mode & 0o7777

function anOpenDataDir(mode = 0o755) {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'touchstone-open-')), 'data')
  for (const folder of ['relational', 'analytics', 'blobs']) mkdirSync(join(dataDir, folder), { recursive: true })
  chmodSync(dataDir, mode)
  return dataDir
}

function aLog() {
  const lines: string[] = []
  return { lines, warn: (_: unknown, message?: string) => void lines.push(message ?? '') }
}

describe('the mode of a data directory', () => {
  it('is 0700 for a new one', () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'touchstone-open-')), 'new')
    createDataDir(dataDir)
    expect(modeOf(dataDir)).toBe(0o700)
  })

  it('is removed for other users in an existing directory, and the change is logged', () => {
    const dataDir = anOpenDataDir()
    const log = aLog()
    closeDataDir(dataDir, log)
    expect(modeOf(dataDir)).toBe(0o700)
    expect(modeOf(join(dataDir, 'relational'))).toBe(0o700)
    expect(log.lines).toContain(`Other users could read ${dataDir} (mode 0755). Its mode is now 0700.`)
    const again = aLog()
    closeDataDir(dataDir, again)
    expect(again.lines).toEqual([])
  })

  it.each([
    ['is sticky', 0o1777, undefined, 'shared (sticky)'],
    ['holds files of others', 0o755, 'notes.txt', '"notes.txt"'],
  ])('stays when the directory %s: only our folders are closed', (_, mode, file, reason) => {
    const dataDir = anOpenDataDir(mode)
    if (file !== undefined) writeFileSync(join(dataDir, file), '')
    const log = aLog()
    closeDataDir(dataDir, log)
    expect(modeOf(dataDir)).toBe(mode)
    expect(modeOf(join(dataDir, 'blobs'))).toBe(0o700)
    expect(log.lines.at(-1)).toContain(reason)
  })
})
