import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'

/** Folders of a server below its data directory; each contains traces or secrets. */
const OWN_FOLDERS = ['relational', 'analytics', 'analytics-statements', 'journal', 'blobs']
const OWN_ENTRIES = new Set([...OWN_FOLDERS, 'touchstone.lock', 'secret-key', 'lost+found'])

/** Makes all new files and folders of this process readable for its own user alone. */
export function createPrivateFiles(): void {
  process.umask(0o077)
}

/** Creates the data directory for this user alone, where it is missing. */
export function createDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
}

/**
 * Removes the access of other users from an existing data directory and its folders, and logs each change. A directory
 * that also contains foreign files (or is sticky, such as /tmp) keeps its mode; only the folders in it are changed.
 * Files of another user stay unchanged and are logged.
 */
export function closeDataDir(dataDir: string, log: Pick<Logger, 'warn'>): void {
  for (const folder of OWN_FOLDERS) closeFolder(join(dataDir, folder), log)
  const mode = readMode(dataDir)
  if (mode === undefined || (mode & 0o077) === 0) return
  const foreign = readdirSync(dataDir).find((entry) => !OWN_ENTRIES.has(entry))
  if (foreign === undefined && (mode & 0o1000) === 0) {
    closeFolder(dataDir, log)
    return
  }
  log.warn(
    { dataDir, mode: octal(mode) },
    `Other users can list the data directory ${dataDir}, which Touchstone does not change because it ` +
      `${foreign === undefined ? 'is a shared (sticky) directory' : `also holds "${foreign}"`}. ` +
      'The folders of Touchstone in it are closed. Give it a directory of its own.',
  )
}

function closeFolder(path: string, log: Pick<Logger, 'warn'>): void {
  const mode = readMode(path)
  if (mode === undefined || (mode & 0o077) === 0) return
  const seen = { path, mode: octal(mode) }
  try {
    chmodSync(path, 0o700)
    log.warn(seen, `Other users could read ${path} (mode ${octal(mode)}). Its mode is now 0700.`)
  } catch (error) {
    const { message } = error as Error
    log.warn(seen, `Other users can read ${path} (mode ${octal(mode)}), and it cannot be closed: ${message}.`)
  }
}

/** Permission bits, or undefined where the path does not exist. */
function readMode(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && found.mode & 0o7777
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0')
