import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk that fails as real ones do: the kernel mounts it read-only at the first error, under a running server. */
export interface FailingDisk {
  readonly folder: string
  /** From now on nothing can be written, also to files that are open. */
  fail(): void
  /** Checks the file system and mounts it again; no file on it may be open. */
  repair(): void
  remove(): Promise<void>
}

/** A file system in a file; `undefined` where the machine does not let us mount one. */
export async function aFailingDisk(megabytes: number): Promise<FailingDisk | undefined> {
  const root = await mkdtemp(join(tmpdir(), 'touchstone-failing-disk-'))
  const [image, folder] = [join(root, 'image'), join(root, 'disk')]
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, folder)
  const findTrigger = () => {
    const device = run('findmnt', '-no', 'SOURCE', folder).replace('/dev/', '')
    return `/sys/fs/ext4/${device}/trigger_fs_error`
  }
  try {
    await writeFile(image, '')
    await truncate(image, megabytes * 1024 * 1024)
    run('mkfs.ext4', '-q', image)
    run('mkdir', folder)
    mount()
    if (!existsSync(findTrigger())) throw new Error('This kernel cannot make a file system fail.')
  } catch {
    await rm(root, { recursive: true, force: true }).catch(() => undefined)
    return undefined
  }
  return {
    folder,
    fail: () => writeFileSync(findTrigger(), '1'),
    repair() {
      run('umount', folder)
      // It ends with 1 when it has corrected something.
      run('sh', '-c', 'fsck.ext4 -fy "$1" || [ $? = 1 ]', 'sh', image)
      mount()
    },
    async remove() {
      run('umount', '--lazy', folder)
      await rm(root, { recursive: true, force: true })
    },
  }
}
