import { ftruncateSync, readFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * The content of the lock file: who holds the data directory. It is information for people; the lock itself is the
 * kernel's. `pid` and `startedAt` are what releases before the kernel lock wrote and read, so that such a release keeps
 * out of a directory that a newer one holds.
 */
export interface LockHolder {
  /** Process id, as seen in the holder's own container. */
  readonly pid: number
  /** Start time of the process in the kernel's ticks; '' where the system does not tell. */
  readonly startedAt: string
  /** Absent in a file of a release before the kernel lock. */
  readonly host?: string
  /** When the lock was taken, ISO 8601. Absent like `host`. */
  readonly since?: string
}

/** Writes this process into the lock file. A full disk is no reason not to start: the content is information only. */
export function writeLockHolder(descriptor: number): void {
  const holder: LockHolder = {
    pid: process.pid,
    startedAt: startOf(process.pid),
    host: hostname(),
    since: new Date().toISOString(),
  }
  try {
    ftruncateSync(descriptor, 0)
    writeSync(descriptor, `${JSON.stringify(holder)}\n`, 0)
  } catch {
    return
  }
}

/** Empties the lock file, so that nobody reads a holder that is gone. */
export function clearLockHolder(descriptor: number): void {
  try {
    ftruncateSync(descriptor, 0)
  } catch {
    return // information only
  }
}

/** Returns what the lock file says, or undefined where it is missing, empty or not ours. */
export function readLockHolder(path: string): LockHolder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isLockHolder(holder) ? holder : undefined
  } catch {
    return undefined
  }
}

/** Names the holder for a message, e.g. `process 12 on host db-1, running since 2026-01-01T00:00:00.000Z`. */
export function describeLockHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'a process that did not write its name into the lock file'
  const host = holder.host === undefined ? '' : ` on host ${holder.host}`
  const since = holder.since === undefined ? '' : `, running since ${holder.since}`
  return `process ${holder.pid}${host}${since}`
}

/**
 * Whether a release before the kernel lock runs with this file. Such a release holds no kernel lock, so its process id is
 * all there is; it is only seen in the same PID namespace.
 */
export function isOldReleaseRunning(holder: LockHolder | undefined): boolean {
  if (holder === undefined || holder.host !== undefined || holder.startedAt === '') return false
  return holder.pid !== process.pid && startOf(holder.pid) === holder.startedAt
}

function isLockHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false
  const { pid, startedAt, host, since } = value as Record<string, unknown>
  const isText = (field: unknown) => field === undefined || (typeof field === 'string' && field.length < 300)
  return Number.isInteger(pid) && typeof startedAt === 'string' && isText(host) && isText(since)
}

/** Start time of a living process in ticks; '' for one that is gone, a zombie, or where the system does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const isDead = fields[0] === 'Z' || fields[0] === 'X'
    return isDead ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
