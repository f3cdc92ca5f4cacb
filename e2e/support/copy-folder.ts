import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Copies the content of a folder into another one, which is created. A data directory has a thousand files, and `cp` of the
 * system takes a third of the CPU time of Node's.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  await run('mkdir', ['-p', to])
  await run('cp', ['-R', `${from}/.`, to])
}
