import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A way to make writes fail for want of space, and to make them work again while the server runs. */
export interface SmallDisk {
  readonly folder: string
  /** No further byte fits. */
  fill(): Promise<void>
  /** Space is there again. */
  free(): Promise<void>
  /** Nothing can be written any more, not by root either. @throws while a file is open for writing */
  makeReadOnly(): void
  remove(): Promise<void>
}

/**
 * A small file system of its own, or `undefined` where the machine does not let us mount one. A limit on the size of files
 * (`ulimit -f`) is no stand-in: the engine notices a full disk by asking for free space, and a limit leaves that large.
 */
export async function aSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-disk-'))
  if (!succeeds('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder)) {
    await rm(folder, { recursive: true })
    return undefined
  }
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: () => writeUntilFull(ballast),
    free: () => unlink(ballast),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', folder], { stdio: 'ignore' }),
    async remove() {
      succeeds('umount', '--lazy', folder)
      await rm(folder, { recursive: true, force: true })
    },
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
