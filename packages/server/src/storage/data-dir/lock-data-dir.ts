import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  clearLockHolder,
  describeLockHolder,
  isOldReleaseRunning,
  readLockHolder,
  writeLockHolder,
} from './lock-holder.ts'

/** Takes the kernel's lock on an open file without waiting; false where another process has it. */
export type TryLock = (descriptor: number) => boolean

export interface LockOptions {
  /** How long to wait for the holder to end. @default 0: refuse at once */
  readonly waitMs?: number
  /** Told once, with a sentence, when the wait begins. */
  readonly onWait?: (message: string) => void
  /** @default the kernel's, by `fs-native-extensions` */
  readonly tryLock?: TryLock
}

/** The data directory cannot be used by this process; the message says why and what to do. */
export class DataDirLockError extends Error {
  override readonly name = 'DataDirLockError'
}

const POLL_MS = 100

/**
 * Keeps every other process out of a data directory: the embedded engines allow one. The lock is the kernel's, on the open
 * file `touchstone.lock`, so it holds across containers and PID namespaces on one volume, and the death of the process
 * releases it. The file itself is never removed; what it says about its holder is for messages only.
 *
 * @returns the function that releases the directory
 * @throws DataDirLockError when another process holds it, or when the file system cannot lock
 */
export async function lockDataDir(dataDir: string, options: LockOptions = {}): Promise<() => void> {
  const path = join(dataDir, 'touchstone.lock')
  const tryLock = options.tryLock ?? (await loadKernelLock(dataDir))
  const deadline = Date.now() + (options.waitMs ?? 0)
  let isAnnounced = false
  for (;;) {
    const release = takeLock(dataDir, path, tryLock)
    if (release !== undefined) return release
    const holder = describeLockHolder(readLockHolder(path))
    if (Date.now() >= deadline) throw new DataDirLockError(inUseMessage(dataDir, holder))
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

/** Returns the function that releases the lock, or undefined where another process has it. */
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

/** Whether the path still leads to the file that was locked: someone may have removed or replaced it meanwhile. */
function isFileAt(descriptor: number, path: string): boolean {
  const locked = fstatSync(descriptor)
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.ino === locked.ino && found.dev === locked.dev
}

/** Loaded only where it is needed: external engines run on platforms that have no build of it. */
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
