import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A way to make writes fail for want of space, and to make them work again while the server runs. */
export interface SmallDisk {
  readonly how: string
  readonly folder: string
  /** No further byte fits. */
  fill(serverPid: number): Promise<void>
  /** Space is there again. */
  free(serverPid: number): Promise<void>
  remove(): Promise<void>
}

/**
 * A small file system of its own where the machine lets us mount one; elsewhere a limit on the size of files, which
 * fails the same writes (EFBIG instead of ENOSPC) and needs no rights. `undefined` where there is neither.
 */
export async function aSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  return (await mountedDisk(megabytes)) ?? (await limitedFiles())
}

async function mountedDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-disk-'))
  if (!succeeds('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder)) {
    await rm(folder, { recursive: true })
    return undefined
  }
  const ballast = join(folder, 'ballast')
  return {
    how: `a file system of ${megabytes} MB`,
    folder,
    fill: () => writeUntilFull(ballast),
    free: () => unlink(ballast),
    async remove() {
      succeeds('umount', '--lazy', folder)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function limitedFiles(): Promise<SmallDisk | undefined> {
  if (!succeeds('prlimit', '--version')) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-disk-'))
  const limit = async (pid: number, bytes: string) => {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  }
  return {
    how: 'a limit on the size of files',
    folder,
    fill: (pid) => limit(pid, '1'),
    free: (pid) => limit(pid, 'unlimited'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Fills in steps that halve, so that the last kilobyte goes too. */
async function writeUntilFull(path: string): Promise<void> {
  for (let size = 16 * 1024 * 1024; size >= 1024; ) {
    await writeFile(path, Buffer.alloc(size), { flag: 'a' }).catch(() => {
      size /= 2
    })
  }
}

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
