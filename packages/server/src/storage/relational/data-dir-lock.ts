import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Keeps a second process out of a data directory: the embedded engines allow one. The lock of a process that died is
 * taken over.
 *
 * @returns the function that lets go
 * @throws Error naming the process that holds the directory
 */
export function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, 'touchstone.lock')
  mkdirSync(dirname(path), { recursive: true })
  for (let attempt = 0; attempt < 3; attempt++) {
    if (tryCreate(path)) return () => rmSync(path, { force: true })
    const holder = readHolder(path)
    if (holder !== undefined && isAlive(holder)) {
      throw new Error(
        `The data directory ${dataDir} is in use by process ${holder.pid}. Stop it, or choose another with --data-dir.`,
      )
    }
    rmSync(path, { force: true })
  }
  throw new Error(`The data directory ${dataDir} cannot be locked; remove ${path} if no Touchstone is running.`)
}

interface Holder {
  readonly pid: number
  /** Distinguishes this process from a later one that was given the same pid. */
  readonly startedAt: string
}

function tryCreate(path: string): boolean {
  try {
    writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) }), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    return undefined // it let go meanwhile, or died before it had written its name
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return startOf(holder.pid) === holder.startedAt
}

/** Start time of a process in the kernel's ticks; '' where the system does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
