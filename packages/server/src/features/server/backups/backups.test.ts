import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { newBackupId, parseBackupId } from './backups.ts'

let app: StartedApp
let backupDir: string
beforeAll(async () => {
  backupDir = await mkdtemp(join(tmpdir(), 'touchstone-backups-'))
  app = await startApp({ config: { backupDir } })
})
afterAll(() => app?.close())

describe('backups of a server whose relational store is not a folder', () => {
  it('are refused with what to use instead', async () => {
    const { status, text } = await app.call(contract.backups.create)
    expect(status).toBe(400)
    expect(text).toContain('pg_dump')
    const { unavailable, unavailable_reason } = (await app.call(contract.backups.list)).body
    expect([unavailable, unavailable_reason]).toEqual([expect.stringContaining('pg_dump'), 'postgres'])
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

describe('the id of a backup', () => {
  it('contains the start time', () => {
    expect(parseBackupId(newBackupId(Date.UTC(2026, 10, 22, 7, 40, 10, 500)).id)).toBe('2026-11-22T07:40:10.000Z')
    expect(parseBackupId('../../etc')).toBeUndefined()
  })
})
