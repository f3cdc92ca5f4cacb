import { randomBytes } from 'node:crypto'

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
