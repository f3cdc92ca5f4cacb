// Also for programs outside of this package, whose compiler does not read all of its files.
/// <reference path="./fs-native-extensions.d.ts" />
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Takes the kernel's lock on an open file without waiting; false where another process holds it. */
export type TryLock = (descriptor: number) => boolean

export interface LockOptions {
  /** Time to wait until the other process ends. @default 0: refuse at once */
  readonly waitMs?: number
  /** Called once, with a message, when the wait begins. */
  readonly onWait?: (message: string) => void
  /** @default the kernel's, by `fs-native-extensions` */
  readonly tryLock?: TryLock
}

/** This process cannot use the data directory; the message explains the reason and the remedy. */
export class DataDirLockError extends Error {
  override readonly name = 'DataDirLockError'
}

const POLL_MS = 100

/**
 * Locks a data directory against all other processes: the embedded engines allow one. It is a lock of the kernel on the
 * open file `touchstone.lock`, so it works across containers and PID namespaces on one volume, and ends with the
 * process. The file itself is never removed; its content is for messages only.
 *
 * @returns the function that releases the directory
 * @throws DataDirLockError when another process holds it, or when the file system cannot lock
 */
export async function lockDataDir(dataDir: string, options: LockOptions = {}): Promise<() => void> {
  const path = join(dataDir, 'touchstone.lock')
  const tryLock = options.tryLock ?? (await loadKernelLock(dataDir))
  const deadline = performance.now() + (options.waitMs ?? 0)
  let isAnnounced = false
  for (;;) {
    const release = takeLock(dataDir, path, tryLock)
    if (release !== undefined) return release
    const holder = describeLockHolder(readLockHolder(path))
    if (performance.now() >= deadline) throw new DataDirLockError(inUseMessage(dataDir, holder))
    if (!isAnnounced) {
      options.onWait?.(`The data directory ${dataDir} is in use by ${holder}. Waiting until it has stopped.`)
    }
    isAnnounced = true
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function inUseMessage(dataDir: string, holder: string): string {
  return (
    `The data directory ${dataDir} is in use by ${holder}. ` +
    'Stop that process first, choose another directory with --data-dir, ' +
    'or let this one wait for its end with --wait-for-data-dir SECONDS.'
  )
}

/** Returns the function that releases the lock, or undefined where another process holds it. */
function takeLock(dataDir: string, path: string, tryLock: TryLock): (() => void) | undefined {
  const descriptor = openLockFile(dataDir, path)
  let isHeld = false
  try {
    isHeld = lockOpenFile(dataDir, descriptor, tryLock) && isFileAt(descriptor, path)
    if (isHeld && isOldReleaseRunning(readLockHolder(path))) isHeld = false
    if (!isHeld) return undefined
  } finally {
    if (!isHeld) closeSync(descriptor)
  }
  writeLockHolder(descriptor)
  return () => {
    clearLockHolder(descriptor)
    closeSync(descriptor)
  }
}

function openLockFile(dataDir: string, path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new DataDirLockError(
      code === 'EROFS' || code === 'EACCES' || code === 'EPERM'
        ? `The data directory ${dataDir} cannot be written (${message}). Give this user write access, or choose another directory with --data-dir.`
        : `The data directory ${dataDir} cannot be locked: ${message}.`,
      { cause: error },
    )
  }
}

function lockOpenFile(dataDir: string, descriptor: number, tryLock: TryLock): boolean {
  try {
    return tryLock(descriptor)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new DataDirLockError(
      `The file system of the data directory ${dataDir} cannot lock files (${code ?? message}), ` +
        'so nothing would keep a second process from destroying the data. Choose a directory on a local disk with --data-dir, ' +
        'or use PostgreSQL and ClickHouse (TOUCHSTONE_POSTGRES_URL, TOUCHSTONE_CLICKHOUSE_URL), which need no lock.',
      { cause: error },
    )
  }
}

/** Whether the path still refers to the locked file: it may have been removed or replaced meanwhile. */
function isFileAt(descriptor: number, path: string): boolean {
  const locked = fstatSync(descriptor)
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.ino === locked.ino && found.dev === locked.dev
}

/** Imported only where it is needed: the package has no build for some platforms that external engines run on. */
async function loadKernelLock(dataDir: string): Promise<TryLock> {
  try {
    return (await import('fs-native-extensions')).tryLock
  } catch (error) {
    throw new DataDirLockError(
      `The data directory ${dataDir} cannot be locked: the package fs-native-extensions has no build for ${process.platform}-${process.arch}. ` +
        'Use PostgreSQL and ClickHouse (TOUCHSTONE_POSTGRES_URL, TOUCHSTONE_CLICKHOUSE_URL), which need no lock.',
      { cause: error },
    )
  }
}

/**
 * The content of the lock file: the process that holds the data directory, as information for people; the kernel's lock
 * decides. Releases before the kernel lock wrote and read `pid` and `startedAt`, so such a release does not use a
 * directory that a newer one holds.
 */
interface LockHolder {
  /** Process id, as seen in the holder's own container. */
  readonly pid: number
  /** Start time of the process in the kernel's ticks; '' where the system does not provide it. */
  readonly startedAt: string
  /** Absent in a file of a release before the kernel lock. */
  readonly host?: string
  /** When the lock was taken, ISO 8601. Absent like `host`. */
  readonly since?: string
}

/**
 * Writes this process into the lock file. A failure, e.g. on a full disk, is ignored: the content is information only.
 */
function writeLockHolder(descriptor: number): void {
  const holder: LockHolder = {
    pid: process.pid,
    startedAt: readStartTime(process.pid),
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

/** Empties the lock file, so that no reader finds a process that has ended. */
function clearLockHolder(descriptor: number): void {
  try {
    ftruncateSync(descriptor, 0)
  } catch {
    return // information only
  }
}

/** Returns the content of the lock file, or undefined where it is missing, empty or of another format. */
function readLockHolder(path: string): LockHolder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isLockHolder(holder) ? holder : undefined
  } catch {
    return undefined
  }
}

/** Describes the holder for a message, e.g. `process 12 on host db-1, running since 2026-01-01T00:00:00.000Z`. */
function describeLockHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'a process that did not write its name into the lock file'
  const host = holder.host === undefined ? '' : ` on host ${holder.host}`
  const since = holder.since === undefined ? '' : `, running since ${holder.since}`
  return `process ${holder.pid}${host}${since}`
}

/**
 * Whether a release before the kernel lock runs with this file. Such a release holds no kernel lock, so only its
 * process id identifies it, and only in the same PID namespace.
 */
function isOldReleaseRunning(holder: LockHolder | undefined): boolean {
  if (holder === undefined || holder.host !== undefined || holder.startedAt === '') return false
  return holder.pid !== process.pid && readStartTime(holder.pid) === holder.startedAt
}

function isLockHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false
  const { pid, startedAt, host, since } = value as Record<string, unknown>
  const isText = (field: unknown) => field === undefined || (typeof field === 'string' && field.length < 300)
  return Number.isInteger(pid) && typeof startedAt === 'string' && isText(host) && isText(since)
}

/**
 * Start time of a running process in ticks; '' for an ended process, a zombie, or where the system does not provide it.
 */
function readStartTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const isDead = fields[0] === 'Z' || fields[0] === 'X'
    return isDead ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
