import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup } from '@touchstone/contract'
import { type Manifest, readManifest } from '../../../storage/backups/index.ts'

const PARTIAL = '.partial'

/**
 * Backups that lie in a folder; a folder that does not exist has none.
 *
 * @param except  ids that are known otherwise
 */
export async function listBackups(directory: string, except: ReadonlySet<string>): Promise<Backup[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [] // making one says what is wrong
    throw error
  })
  const backups: Backup[] = []
  for (const name of names) {
    const id = name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name
    const startedAt = parseBackupId(id)
    if (startedAt === undefined || except.has(id)) continue
    const empty = emptyBackup(id, join(directory, name), startedAt)
    backups.push(name === id ? await readComplete(empty) : { ...empty, status: 'interrupted' })
  }
  return backups
}

/** The name of the newest complete backup in a folder. */
export async function findNewestComplete(directory: string): Promise<string | undefined> {
  const complete = (await listBackups(directory, new Set())).filter(({ status }) => status === 'complete')
  return complete
    .map(({ id }) => id)
    .toSorted()
    .at(-1)
}

export function emptyBackup(id: string, path: string, startedAt: string): Backup {
  const unknown = { phase: null, bytes_done: null, bytes_total: null, point_in_time: null, pause_ms: null }
  return {
    id,
    status: 'running',
    path,
    started_at: startedAt,
    ...unknown,
    bytes: null,
    touchstone_version: null,
    error: null,
  }
}

export function presentComplete(backup: Backup, manifest: Omit<Manifest, 'files' | 'directories' | 'links'>): Backup {
  const { point_in_time, pause_ms, bytes, touchstone_version } = manifest
  return {
    ...backup,
    status: 'complete',
    phase: null,
    bytes_done: null,
    bytes_total: null,
    point_in_time,
    pause_ms,
    bytes,
    touchstone_version,
  }
}

async function readComplete(backup: Backup): Promise<Backup> {
  try {
    return presentComplete(backup, await readManifest(backup.path))
  } catch (error) {
    return { ...backup, status: 'failed', error: (error as Error).message }
  }
}

/** The name of a new backup, sorted by time: `touchstone-20261122T074010Z-5f3a9c`. */
export function newBackupId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `touchstone-${time}-${randomBytes(3).toString('hex')}`
}

/** When a backup of this name began, in ISO 8601; undefined for other names. */
export function parseBackupId(id: string): string | undefined {
  const time = /^touchstone-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}$/.exec(id)
  if (time === null) return undefined
  const [, year, month, day, hour, minute, second] = time
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
}
