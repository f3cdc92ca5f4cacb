import { mkdir, mkdtemp, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../../storage/relational/port.ts'
import { openEmptyPglite } from '../../../testing/pglite-template.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { listBackups, newBackupId, parseBackupId } from './backups.ts'

let app: StartedApp
let relational: Relational
let backupDir: string
beforeAll(async () => {
  backupDir = await mkdtemp(join(tmpdir(), 'touchstone-backups-'))
  // Before PostgreSQL another process may be writing what is not complete.
  relational = await openEmptyPglite()
  app = await startApp({ relational, config: { backupDir } })
})
afterAll(async () => {
  await app?.close()
  await relational?.close()
})

describe('backups of a server without a folder for them', () => {
  it('are refused with what to set', async () => {
    const other = await startApp()
    const { status, text } = await other.call(contract.backups.create)
    expect(status).toBe(400)
    expect(text).toContain('TOUCHSTONE_BACKUP_DIR')
    const { unavailable, unavailable_reason } = (await other.call(contract.backups.list)).body
    expect([unavailable, unavailable_reason]).toEqual([expect.stringContaining('--backup-dir'), 'no_directory'])
    await other.close()
  })
})

describe('the list of backups', () => {
  it('list backups', async () => {
    const [older, newer] = [newBackupId(Date.UTC(2026, 0, 1)).id, newBackupId(Date.UTC(2026, 0, 2)).id]
    await mkdir(join(backupDir, older))
    await mkdir(join(backupDir, `${newer}.partial`))
    await mkdir(join(backupDir, 'photos'))
    const { body } = await app.call(contract.backups.list)
    expect(body.backups.map(({ id, status }) => [id, status])).toEqual([
      [newer, 'interrupted'],
      [older, 'failed'],
    ])
    expect(body.backups[1]!.error).toContain('not a complete backup')
    const one = await app.call(contract.backups.read, { params: { backup_id: older } })
    expect(one.body).toMatchObject({ id: older, status: 'failed' })
    expect((await app.call(contract.backups.read, { params: { backup_id: '..' } })).status).toBe(404)
  })
})

describe('a backup that another process makes in a shared folder', () => {
  it('is running while that process writes, and interrupted after', async () => {
    const shared = await mkdtemp(join(tmpdir(), 'touchstone-backups-'))
    const { id } = newBackupId(Date.UTC(2026, 0, 3))
    await mkdir(join(shared, `${id}.partial`))
    const readStatus = async () => (await listBackups(shared, new Set(), true))[0]?.status
    expect(await readStatus()).toBe('running')
    const before = new Date(Date.now() - 1_200_000)
    await utimes(join(shared, `${id}.partial`), before, before)
    expect(await readStatus()).toBe('interrupted')
  })
})

describe('the id of a backup', () => {
  it('contains the start time', () => {
    expect(parseBackupId(newBackupId(Date.UTC(2026, 10, 22, 7, 40, 10, 500)).id)).toBe('2026-11-22T07:40:10.000Z')
    expect(parseBackupId('../../etc')).toBeUndefined()
  })
})
